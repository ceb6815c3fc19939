/** Reported cases per 1,000 people by area and year. */
import { roundFields } from '../../contract/decimals.ts';
import type { CasesRow, CensusRow } from '../../ingest/ingest-tables.ts';
import type { PeopleInYear } from '../../ingest/people-by-year.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type { TABLES } from './table-columns.ts';

type Row<Name extends keyof typeof TABLES> = TableRow<(typeof TABLES)[Name]>;
type IncidenceRow = Row<'incidence'>;

/**
 * The table `incidence`. An area of the upper level is the sum of those below it that have records, and their people;
 * if none has any, it has the record of its own. People are those of the year, where the catalog tells the years.
 * Months that are unknown or left out of fits add no cases.
 */
export function incidenceTable(
  { context_states, context_lgas }: { context_states: Row<'context_states'>[]; context_lgas: Row<'context_lgas'>[] },
  cases: readonly CasesRow[],
  census: readonly CensusRow[],
  peopleInYear: PeopleInYear,
): IncidenceRow[] {
  const censusPeople = new Map(census.map(({ lga_code, people }) => [lga_code, people]));
  const peopleByLga = new Map(
    context_lgas.map(({ lga_code, population }) => [lga_code, censusPeople.get(lga_code) ?? population]),
  );
  const peopleIn = (codes: readonly string[], year: number) =>
    codes.reduce((sum, code) => sum + Math.round(peopleInYear(code, year) ?? peopleByLga.get(code)!), 0);
  const areaRows = (area: IncidenceRow['area'], code: string, records: readonly CasesRow[], lgas: readonly string[]) =>
    [...Map.groupBy(records, ({ period }) => Number(period.slice(0, 4)))].flatMap(([year, months]): IncidenceRow[] => {
      const people = peopleIn(lgas, year);
      const series = months[0]!.lga_code === null ? 1 : lgas.length;
      const usedMonths = months.filter(({ confirmed, masked }) => confirmed !== null && !masked);
      const sum = usedMonths.reduce((total, { confirmed }) => total + confirmed!, 0);
      const completeness = usedMonths.length / (12 * series);
      const cases_per_1000 = usedMonths.length > 0 ? (1000 * sum) / people : null;
      return people > 0 ? [{ area, code, year, cases_per_1000, completeness, people }] : [];
    });
  const casesByState = Map.groupBy(cases, ({ state_code }) => state_code);
  const states = context_states.flatMap(({ state_code }) => {
    const records = casesByState.get(state_code) ?? [];
    const ofLgas = records.filter(({ lga_code }) => lga_code !== null);
    const lgas = context_lgas.filter((lga) => lga.state_code === state_code).map(({ lga_code }) => lga_code);
    return ofLgas.length > 0
      ? areaRows('state', state_code, ofLgas, [...new Set(ofLgas.map(({ lga_code }) => lga_code!))])
      : areaRows('state', state_code, records, lgas);
  });
  const casesByLga = Map.groupBy(cases, ({ lga_code }) => lga_code);
  const lgas = context_lgas.flatMap(({ lga_code }) =>
    areaRows('lga', lga_code, casesByLga.get(lga_code) ?? [], [lga_code]),
  );
  return roundFields([...states, ...lgas]);
}

/** Accounts with the people of areas with cases, where a raster tells them, which is read after the tables. */
export function accountsWithPeople(
  accounts: readonly Row<'accounts'>[],
  incidence: readonly IncidenceRow[],
): Row<'accounts'>[] {
  const isOfCases = ({ fate, reason }: Row<'accounts'>) => fate === 'taken' && reason === 'confirmed';
  const caseAccounts = accounts.filter(isOfCases);
  const hasPeople = caseAccounts.some(({ people }) => people !== null);
  if (hasPeople || new Set(caseAccounts.map(({ source }) => source)).size !== 1) return [...accounts];
  const stateRows = incidence.filter(({ area, completeness }) => area === 'state' && completeness > 0);
  const peopleIn = (year: number | null) =>
    stateRows.reduce((sum, row) => (row.year === year ? sum + row.people : sum), 0);
  return accounts.map((row) => (isOfCases(row) ? { ...row, people: peopleIn(row.year) || null } : row));
}
