import { bbox, feature, featureCollection } from '@turf/turf';
import type { ReportLine } from '../artifacts.ts';
import { roundAs } from '../contract/decimals.ts';
import { LEVELS, type TransmissionModel } from '../contract/schemas.ts';
import { polygonsOf } from '../models/outline-check.ts';
import { levelOf, type SnapshotParts } from './documents.ts';

/** Fills of the levels, light to dark, told apart by lightness alone (ColorBrewer's YlOrBr). */
const FILLS = {
  very_low: '#ffffd4',
  low: '#fed98e',
  moderate: '#fe9929',
  high: '#d95f0e',
  very_high: '#7a2a04',
} as const;

/** What the report shows beside the answers. */
interface ReportInput {
  findings: readonly (ReportLine & { stage: string })[];
  artifact<T>(name: string): T;
}

const html = (text: unknown) =>
  String(text ?? '—').replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);

function table(caption: string, header: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = (tag: string, row: readonly unknown[]) => row.map((cell) => `<${tag}>${html(cell)}</${tag}>`).join('');
  const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
  return `<table><caption>${html(caption)}</caption><thead><tr>${cells('th', header)}</tr></thead>\n<tbody>${body}</tbody></table>`;
}

/**
 * The page that opens from disk: where risk is in the latest estimated month, how the season and the transmission
 * model did on what they had not seen, what was missing and what was done about it, and whose data it is.
 */
export function renderReport(parts: SnapshotParts, input: ReportInput): string {
  const { model, coverage, season, transmission, sources, areas } = parts;
  const title = `${model.name}: malaria risk, ${parts.model_version}`;
  const { check } = season.method;
  const stateRows = areas.states.map(({ state_code, state, zone }) => {
    const month = parts.scores.states.periods.indexOf(coverage.last_estimated);
    const area = parts.scores.states.areas[state_code]!;
    const [score, low, high] = [area.score, area.score_low, area.score_high].map((series) => series[month]!);
    const own = parts.season.states[state_code]!;
    return [
      state_code,
      state,
      zone,
      score!.toFixed(3),
      `${low!.toFixed(3)}–${high!.toFixed(3)}`,
      levelOf(score!),
      own.peak_month,
      own.season_months,
    ];
  });
  const legend = LEVELS.map(
    ({ level }) => `<span><i style="background:${FILLS[level]}"></i>${level.replace('_', ' ')}</span>`,
  ).join(' ');
  const sections = [
    model.synthetic ? '<p class="warning">This country is made up. Nothing here describes a real place.</p>' : '',
    `<h2>Risk, ${coverage.last_estimated}</h2>
<p>The score is the modelled share of children 6–59 months who would test positive by microscopy. Each LGA's range stands in its tooltip.</p>
${map(parts)}<p class="legend">${legend}</p>`,
    table(
      `States in ${coverage.last_estimated}`,
      ['code', 'state', 'zone', 'score', '90% range', 'level', 'peak month', 'months of high season'],
      stateRows,
    ),
    `<h2>Season</h2><p>${html(season.method.description)}</p>
<p>Checked on ${check.series} case records, each state left out in turn: median correlation ${check.median_correlation.toFixed(3)}, high season's midpoint ${check.mean_months_off.toFixed(2)} months off, peak ${check.mean_months_peak_is_off.toFixed(2)} months off.</p>`,
    transmission
      ? transmissionSection(transmission)
      : '<h2>Transmission model</h2><p>This country has no monthly case records.</p>',
    '<h2>What was missing, and what was done</h2>',
    table(
      'Findings of the build',
      ['stage', 'source', 'rule', 'what'],
      input.findings.map((f) => [f.stage, f.source, f.rule, f.what]),
    ),
    '<h2>Whose data</h2>',
    table(
      'Sources',
      ['source', 'what', 'citation', 'licence', 'release'],
      sources.map((s) => [s.id, s.title, s.citation, s.licence, s.release]),
    ),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(title)}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto;font-size:.9rem}
caption{text-align:left;font-weight:600;padding:.3rem 0}td,th{border-bottom:1px solid #ddd;padding:.2rem .6rem;text-align:left;vertical-align:top}
svg{width:100%;height:auto;max-height:80vh}path{stroke:#fff;stroke-width:.004}.legend i{display:inline-block;width:1em;height:1em;margin:0 .3em 0 1em;border:1px solid #999;vertical-align:-.1em}
.warning{background:#fff3cd;border-left:4px solid #d39e00;padding:.6rem 1rem}
</style></head><body>
<h1>${html(title)}</h1>
<p>Estimated ${coverage.first_estimated} to ${coverage.last_estimated}, forecast to ${coverage.last_forecast}; updated ${html(model.updated_at)}.</p>
${sections.filter(Boolean).join('\n')}
</body></html>
`;
}

/** LGAs filled by level, longitude and latitude as they are, two decimals. */
function map({ outlines, scores, coverage, areas }: SnapshotParts): string {
  const month = scores.lgas.periods.indexOf(coverage.last_estimated);
  const features = outlines.states.map(({ geometry }) => feature(geometry));
  const [west, south, east, north] = bbox(featureCollection(features));
  const names = new Map(areas.lgas.map((lga) => [lga.lga_code, `${lga.lga}, ${lga.state_code}`]));
  const shapes = outlines.lgas.map(({ lga_code, geometry }) => {
    const area = scores.lgas.areas[lga_code]!;
    const score = area.score[month]!;
    const path = polygonsOf(geometry)
      .flat()
      .map(
        (ring) => `M${distinct(ring.map(([x, y]) => `${(x - west).toFixed(2)} ${(north - y).toFixed(2)}`)).join('L')}Z`,
      )
      .join('');
    const label = `${names.get(lga_code)}: ${score.toFixed(3)} (${area.score_low[month]!.toFixed(3)}–${area.score_high[month]!.toFixed(3)})`;
    return `<path d="${path}" fill="${FILLS[levelOf(roundAs('score', score))]}"><title>${html(label)}</title></path>`;
  });
  const box = `0 0 ${(east - west).toFixed(2)} ${(north - south).toFixed(2)}`;
  return `<svg viewBox="${box}" role="img" aria-label="Risk by LGA, ${coverage.last_estimated}">\n${shapes.join('\n')}\n</svg>`;
}

const distinct = (points: string[]) => points.filter((point, i) => i === 0 || point !== points[i - 1]);

function transmissionSection({ states, projection_test, limits }: TransmissionModel): string {
  const { development, held_back, development_years, held_back_year } = projection_test;
  const row = (name: string, scores: typeof development) => {
    const e = scores.mean_absolute_error;
    return [
      name,
      scores.months,
      e.model.toFixed(3),
      e.same_month_last_year.toFixed(3),
      e.same_month_last_three_years.toFixed(3),
      scores.seasonal_shape_correlation.toFixed(3),
    ];
  };
  return [
    '<h2>Transmission model (research)</h2>',
    table(
      'Fits',
      ['state', 'correlation with reported cases', 'months growing', 'year-round share'],
      states.map((s) => [
        s.state,
        s.fit_correlation.toFixed(3),
        s.months_with_infection_growing.join(', '),
        s.share_of_transmission_year_round.toFixed(2),
      ]),
    ),
    table(
      'Projecting a year ahead: mean error, cases per 1,000 people',
      ['years', 'months', 'model', 'same month last year', 'same month, three years', 'correlation of shapes'],
      [
        row(`development, ${development_years.join(', ')}`, development),
        row(`held back, ${held_back_year}`, held_back),
      ],
    ),
    `<ul>${limits.map((limit) => `<li>${html(limit)}</li>`).join('')}</ul>`,
  ].join('\n');
}
