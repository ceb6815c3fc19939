/**
 * The report of a country without scores: what it has, from case records, rain and layers, on a page without a script.
 */
import { coversProduct, PRODUCTS, type Product } from '../../contract/products.ts';
import { countryWords } from '../../contract/words.ts';
import { type Html, html } from '../../lib/pages/html.ts';
import { renderTable } from '../../lib/pages/table.ts';
import { type Contents, makeSeasonLookup } from '../snapshot/contents.ts';
import { encodeCases } from './encode-observed.ts';
import { describeMissingData, INCIDENCE_LIMIT } from './sections/risk-limits.ts';
import type { Evidence } from './shared/evidence.ts';
import { renderMap } from './shared/map.ts';
import { monthName, periodName } from './shared/names.ts';

/** Fills of equal numbers of areas, the lowest incidence first; blue, since the colours of scores mean levels. */
const FILLS = ['#eef4fa', '#c6dcec', '#8fbadb', '#4a8fc0', '#175d94'];
const NO_RECORD_FILL = '#d9d9d9';

/** What there is and what is missing, then the figures. */
export function renderCasesView(contents: Contents, evidence: Evidence): Html {
  return html`${renderProducts(contents, evidence)}
${renderIncidence(contents)}
${renderForecasts(contents, evidence)}
${renderSeasons(contents)}`;
}

function renderProducts(contents: Contents, evidence: Evidence): Html {
  const { coverage, tables } = contents;
  const isGiven = (product: Product) =>
    coversProduct(coverage, product) &&
    (product !== 'windows' || tables.season_windows.length > 0) &&
    (product !== 'season' || tables.season.length > 0);
  const [noScores] = describeMissingData(contents, evidence);
  return html`<section aria-labelledby="has-head"><h2 id="has-head">What this version has</h2>
<p class="lead">${noScores}</p>
<ul id="products">${(Object.keys(PRODUCTS) as Product[]).map((product) => {
    const { title, needs } = PRODUCTS[product];
    return isGiven(product) ? html`<li><b>Yes:</b> ${title}</li>` : html`<li><b>No:</b> ${title} (needs ${needs})</li>`;
  })}</ul></section>`;
}

/** The last year with records in every month of the calendar, as a map with its completeness; the years as a table. */
function renderIncidence({ tables, model }: Contents): Html | null {
  const { Lga, State, state, lga } = countryWords(model.territory);
  const years = [...new Set(tables.incidence.map(({ year }) => year))].sort((a, b) => a - b);
  if (years.length === 0) return null;
  const area = tables.incidence.some((row) => row.area === 'lga') ? 'lga' : 'state';
  const rowsOfYear = (year: number) =>
    tables.incidence.filter((row) => row.area === area && row.year === year && row.completeness > 0);
  const bestCompleteness = (year: number) => Math.max(0, ...rowsOfYear(year).map(({ completeness }) => completeness));
  const year = years.findLast((one) => bestCompleteness(one) === 1) ?? years.at(-1)!;
  const rows = new Map(rowsOfYear(year).map((row) => [row.code, row]));
  const sorted = [...rows.values()].map(({ cases_per_1000 }) => cases_per_1000!).sort((a, b) => a - b);
  const classOf = (rate: number) => Math.floor((FILLS.length * sorted.indexOf(rate)) / sorted.length);
  const stateByLga = new Map(tables.context_lgas.map(({ lga_code, state_code }) => [lga_code, state_code]));
  const findRow = (lga_code: string) => rows.get(area === 'lga' ? lga_code : stateByLga.get(lga_code)!);
  const names = new Map([
    ...tables.context_states.map(({ state_code, state: name }) => [state_code, name] as const),
    ...tables.context_lgas.map(({ lga_code, lga: name }) => [lga_code, name] as const),
  ]);
  const describe = (lga_code: string) => {
    const row = findRow(lga_code);
    return `${names.get(lga_code)}: ${row ? `${row.cases_per_1000!.toFixed(1)} per 1,000, ${formatShare(row.completeness)} of months reported` : 'no record'}`;
  };
  const bounds = FILLS.map((fill, k) => ({ fill, rates: sorted.filter((rate) => classOf(rate) === k) }));
  return html`<section aria-labelledby="incidence-head"><h2 id="incidence-head">Reported cases per 1,000 people, ${year}</h2>
<p class="lead">${INCIDENCE_LIMIT}</p>
<div class="cards"><div class="card">${renderMap(
    { lgas: tables.boundaries_lgas, states: tables.boundaries_states },
    {
      label: `Reported cases per 1,000 people by ${(area === 'lga' ? lga : state).one}, ${year}`,
      fill: (lga_code) => {
        const row = findRow(lga_code);
        return row ? FILLS[classOf(row.cases_per_1000!)]! : NO_RECORD_FILL;
      },
      title: describe,
    },
  )}
<p class="key">${bounds.map(({ fill, rates }) => rates.length > 0 && html`<span class="dot" style="background:${fill}"></span> ${rates[0]!.toFixed(1)}–${rates.at(-1)!.toFixed(1)} `)}<span class="dot" style="background:${NO_RECORD_FILL}"></span> no record</p></div>
<div class="card">${renderTable(
    `Per 1,000 people and, in parentheses, the share of months that were reported`,
    [
      { title: (area === 'lga' ? Lga : State).one, cell: (code) => names.get(code)! },
      ...years.slice(-5).map((one) => ({
        title: String(one),
        cell: (code: string) => {
          const row = tables.incidence.find((other) => other.code === code && other.year === one);
          return row && row.completeness > 0
            ? `${row.cases_per_1000!.toFixed(1)} (${formatShare(row.completeness)})`
            : null;
        },
      })),
    ],
    [...new Set(tables.incidence.filter((row) => row.area === area).map(({ code }) => code))],
  )}</div></div></section>`;
}

/** Forecasts of cases as an index, and areas with an alert. */
function renderForecasts({ tables, model }: Contents, { cases }: Evidence): Html | null {
  const { state, lga } = countryWords(model.territory);
  const index = encodeCases(tables, cases);
  const forecasts = [
    ...tables.context_states.map(({ state_code, state: name }) => ({
      name,
      kind: state.one,
      cases: index[state_code],
    })),
    ...tables.context_lgas.map(({ lga_code, lga: name }) => ({ name, kind: lga.one, cases: index[lga_code] })),
  ].flatMap((row) => (row.cases ? [{ ...row, cases: row.cases }] : []));
  if (forecasts.length === 0) return null;
  const horizons = forecasts[0]!.cases.ahead.length;
  const alerts = new Map(tables.alerts.map((row) => [row.code, row]));
  const isUnusual = ({ code }: { code: string }) => alerts.get(code)!.detection_class !== 'none';
  return html`<section aria-labelledby="ahead-head"><h2 id="ahead-head">Reported cases ahead</h2>
<p class="lead">Median and 90% range, as an index: 100 is the mean of the area’s last twelve known months, up to ${periodName(forecasts[0]!.cases.last)}. ${tables.alerts.filter(isUnusual).length} of ${tables.alerts.length} areas reported unusually many or few cases in that month; the table <code>alerts</code> has them.</p>
<div class="card">${renderTable(
    'Forecasts of reported cases',
    [
      { title: 'Area', cell: ({ name, kind }) => `${name} (${kind})` },
      ...Array.from({ length: horizons }, (_, h) => ({
        title: `${h + 1} ${h === 0 ? 'month' : 'months'} ahead`,
        variant: 'number' as const,
        cell: ({ cases: { ahead } }: (typeof forecasts)[number]) =>
          ahead[h] ? `${ahead[h][1]} (${ahead[h][0]}–${ahead[h][2]})` : null,
      })),
    ],
    forecasts,
  )}</div></section>`;
}

function renderSeasons(contents: Contents): Html | null {
  const { tables, model } = contents;
  if (tables.season.length === 0) return null;
  const findSeason = makeSeasonLookup(contents);
  const areas = [
    { name: model.name, season: findSeason(null) },
    ...tables.context_states.map(({ state_code, state }) => ({ name: state, season: findSeason(state_code) })),
  ];
  return html`<section aria-labelledby="months-head"><h2 id="months-head">Season</h2>
<p class="lead">The <a href="annex.html#season">annex</a> tells how it is worked out and how it was checked.</p>
<div class="card">${renderTable(
    'Months in which reported cases are expected at half of their peak or more',
    [
      { title: 'Area', cell: ({ name }) => name },
      { title: 'Peak', cell: ({ season }) => monthName(season.peak_month) },
      {
        title: 'High months',
        cell: ({ season }) => season.high_months.map((month) => monthName(month).slice(0, 3)).join(' '),
      },
    ],
    areas,
  )}</div></section>`;
}

const formatShare = (share: number) => `${Math.round(100 * share)}%`;
