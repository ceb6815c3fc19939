import { isTable } from '../../../catalog/roles.ts';
import { hasScores } from '../../../contract/products.ts';
import { countryWords } from '../../../contract/words.ts';
import { summarizeAccounts } from '../../../ingest/accounts.ts';
import { type Block, renderBlocks } from '../../../lib/pages/blocks.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { controlLines, DECISIONS_HEADING, findingBlocks, isAboutFit } from '../../snapshot/findings.ts';
import type { Finding } from '../../snapshot/provenance.ts';
import type { Evidence } from '../shared/evidence.ts';
import { joinInSentence } from '../shared/names.ts';
import { renderLicences, renderSources } from './sources-section.ts';

/** What to be careful about in the data, what is missing, and the sources with what may be done with them. */
export const renderDataTab = (
  contents: Contents,
  evidence: Evidence,
  findings: readonly Finding[],
): Html => html`${renderLicences(contents)}
${renderDoubts(contents, evidence)}
${renderSums(contents, findings)}
<section id="findings" aria-labelledby="findings-head"><h2 id="findings-head">Gaps in the data</h2>
<p class="lead">What the build found, and the rule that it applied in each case.</p>
${renderBlocks(findingBlocks(findings.filter((finding) => !isAboutFit(finding))).map(toReaderBlock))}</section>
${renderSources(contents)}`;

/** Sums to compare with an annual report. */
const renderSums = (
  { tables }: Contents,
  findings: readonly Finding[],
): Html => html`<section aria-labelledby="read-head"><h2 id="read-head">What was read from the tables</h2>
<p class="lead">Sums of what is used, by year. The table <code>accounts</code> has every column of numbers and what became of it.</p>
<ul>${[...summarizeAccounts(tables.accounts), ...controlLines(findings)].map((line) => html`<li>${line}</li>`)}</ul></section>`;

/** Drops the hints for the data team; findings that it had to approve become `Hard to believe`. */
const toReaderBlock = (block: Block): Block =>
  typeof block === 'object' && 'items' in block
    ? { ...block, hint: undefined, ...(block.heading === DECISIONS_HEADING ? { heading: 'Hard to believe' } : {}) }
    : block;

interface DoubtfulFigure {
  title: string;
  advice: string;
  places: string[];
}

/** Number of places listed; the others are folded. */
const MAX_NAMED = 6;

function renderDoubts(contents: Contents, evidence: Evidence): Html {
  const doubts = findDoubts(contents, evidence).filter(({ places }) => places.length > 0);
  return html`<section id="doubtful" aria-labelledby="doubtful-head"><h2 id="doubtful-head">Figures to be careful with</h2>
<ul class="limits">${doubts.map(
    ({ title, advice, places }) =>
      html`<li><b>${title}</b> (${places.length}): ${
        places.length <= MAX_NAMED
          ? html`${joinInSentence(places)}.`
          : html`${places.slice(0, MAX_NAMED).join(', ')} <details class="more"><summary>and ${places.length - MAX_NAMED} more</summary>${places.slice(MAX_NAMED).join(', ')}</details>`
      } ${advice}</li>`,
  )}</ul></section>`;
}

function findDoubts({ coverage, tables, sources, model }: Contents, { surveys, cases }: Evidence): DoubtfulFigure[] {
  const { lga, a } = countryWords(model.territory);
  const stateNames = new Map(tables.context_states.map(({ state_code, state }) => [state_code, state]));
  const lgaNames = new Map(
    tables.context_lgas.map((row) => [row.lga_code, `${row.lga} (${stateNames.get(row.state_code)})`] as const),
  );
  const testedLgas = new Set(surveys.clusters.map(({ lga_code }) => lga_code));
  const maskedByPlace = Map.groupBy(
    cases.filter((row) => row.masked),
    ({ state_code, lga_code }) => lgaNames.get(lga_code ?? '') ?? stateNames.get(state_code)!,
  );
  return [
    {
      title: 'More people sleep under a net than have access to one',
      advice: 'The two come from different questions and small samples; read both as about equal.',
      places: tables.context_lgas
        .filter(({ itn_use, itn_access }) => itn_use !== null && itn_access !== null && itn_use > itn_access)
        .map(({ lga_code }) => lgaNames.get(lga_code)!),
    },
    {
      title: 'No child was ever tested there',
      advice: `The score of such ${a.lga} is carried from its neighbours and from what is known of its surroundings.`,
      places:
        !hasScores(coverage) || testedLgas.has(null)
          ? []
          : tables.context_lgas
              .filter(({ lga_code }) => !testedLgas.has(lga_code))
              .map(({ lga_code }) => lgaNames.get(lga_code)!),
    },
    {
      title: 'Survey results from few children',
      advice: 'Use their ranges, not their single values.',
      places: tables.survey_trend
        .filter(({ small_sample }) => small_sample)
        .map(({ state_code, survey_year }) => `${stateNames.get(state_code!)} ${survey_year}`),
    },
    {
      title: 'Months of case records that are shown but used for no fit',
      advice: 'Their reports were incomplete, or the numbers are doubted.',
      places: [...maskedByPlace].map(([place, rows]) => {
        const months = rows.map(({ period }) => period).sort();
        return months.length === 1 ? `${place} ${months[0]}` : `${place} ${months[0]} to ${months.at(-1)}`;
      }),
    },
    {
      title: `Taken from maps that are themselves modelled, not measured in each ${lga.one}`,
      advice: 'Differences between neighbours in these may be the map’s.',
      places: sources
        .filter((source) => !isTable(source) && ['layer', 'population'].includes(source.role))
        .map(({ title }) => title),
    },
  ];
}
