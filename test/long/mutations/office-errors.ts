/**
 * Forty errors of the offices that make the files: a wrong column, year or row, a join that went wrong. Each row is
 * valid and the whole is impossible. Twenty stand in a new release, and twenty in a country's first files.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Random, randomStream } from '../../../pipeline/lib/numerics/random.ts';
import { REAL_DATA } from '../../support/real-data.ts';
import type { Mutation } from './mutation.ts';
import { each } from './rasters.ts';
import { inState, inYear, map, table, times, without } from './tables.ts';

export interface OfficeError extends Mutation {
  /** What happened in the office that made the file. */
  happened: string;
}

type Row = Record<string, string>;
type Which = (row: Row) => boolean;
type Change = (bytes: Buffer, name: string) => Buffer;
type Group = (row: Row) => string;

const SEED = 45;
/** A change that draws from its own stream, begun anew each time, so that its bytes are always the same. */
const seeded =
  (name: string, change: (random: Random) => Change): Change =>
  (bytes, file) =>
    change(randomStream(SEED, name))(bytes, file);

const both =
  (...conditions: Which[]): Which =>
  (row) =>
    conditions.every((condition) => condition(row));
const byMethod =
  (method: string): Which =>
  (row) =>
    row.method === method;
const inLga =
  (pcode: string): Which =>
  (row) =>
    (row.lga_pcode ?? row.ADM2_PCODE) === pcode;
const inMonth =
  (period: string): Which =>
  (row) =>
    row.period === period;
const inClimateYear =
  (year: string): Which =>
  (row) =>
    row.year === year;

const byPeriod: Group = (row) => row.period!;
const byMonthOfYear: Group = (row) => row.period!.slice(-2);
const byLgaAndMonth: Group = (row) => `${row.lga_pcode} ${byMonthOfYear(row)}`;

const taken = (columns: string[], row: Row): Row => Object.fromEntries(columns.map((name) => [name, row[name]!]));

/**
 * Pastes the columns of the rows `from` into the rows `to` of the same group, in order and from the first again when
 * there are no more. A group without rows to copy from keeps its values.
 */
const paste = ({ columns, from, to, group }: { columns: string[]; from: Which; to: Which; group: Group }): Change =>
  table((rows) => {
    const sources = Map.groupBy(rows.filter(from), group);
    const pasted = new Map<string, number>();
    return rows.map((row) => {
      const own = to(row) ? sources.get(group(row)) : undefined;
      if (!own) return row;
      const i = pasted.get(group(row)) ?? 0;
      pasted.set(group(row), i + 1);
      return { ...row, ...taken(columns, own[i % own.length]!) };
    });
  });

/** Gives each row the columns of the row `by` rows further on in its group, and the last rows those of the first. */
const offset = ({ columns, by, which, group }: { columns: string[]; by: number; which: Which; group: Group }): Change =>
  table((rows) => {
    const sources = new Map<Row, Row>();
    for (const own of Map.groupBy(rows.filter(which), group).values())
      for (const [i, row] of own.entries()) sources.set(row, own[(i + by + own.length) % own.length]!);
    return rows.map((row) => {
      const source = sources.get(row);
      return source ? { ...row, ...taken(columns, source) } : row;
    });
  });

const rapidTestsAsMicroscopy = (which: Which): Change =>
  paste({
    columns: ['positivity'],
    from: byMethod('rdt'),
    to: both(byMethod('microscopy'), which),
    group: (row) => row.cell_id!,
  });

/** Each slide is lost with probability `share`; the positives among the lost ones are missing from the numerator. */
const lostSlidesNegative = (name: string, share: number, which: Which): Change =>
  seeded(name, ({ uniform }) =>
    map(
      'positivity',
      (positivity, { examined }) => {
        const lost = Array.from({ length: Number(examined) }, uniform).filter((draw) => draw < share).length;
        return Number((positivity * (1 - lost / Number(examined))).toFixed(6));
      },
      both(byMethod('microscopy'), which),
    ),
  );

const joinedTo = (place: (row: Row, rows: Row[]) => Row, which: Which): Change =>
  table((rows) =>
    rows.map((row) => {
      if (!which(row)) return row;
      const { lga_pcode, lga } = place(row, rows);
      return { ...row, lga_pcode: lga_pcode!, lga: lga! };
    }),
  );

/** Of the suspected cases, 55 to 75% were confirmed, a share of its own for each row. */
const suspected = (name: string, which: Which): Change =>
  seeded(name, ({ uniform }) =>
    map('confirmed', (confirmed) => Math.round(confirmed / (0.55 + 0.2 * uniform())), which),
  );

/** The sum of the rows `of` in each group, in the row `place`. */
const totalAmong = (columns: string[], of: Which, place: Which, group: Group): Change =>
  table((rows) => {
    const groups = Map.groupBy(rows.filter(of), group);
    const sum = (row: Row, column: string) =>
      String(groups.get(group(row))!.reduce((total, own) => total + Number(own[column]), 0));
    return rows.map((row) =>
      place(row) ? { ...row, ...Object.fromEntries(columns.map((column) => [column, sum(row, column)])) } : row,
    );
  });

const rainWithoutSeason = (which: Which): Change =>
  table((rows) => {
    const years = Map.groupBy(rows.filter(which), (row) => `${row.ADM2_PCODE} ${row.year}`);
    const mean = (own: Row[]) => own.reduce((sum, row) => sum + Number(row.rain_mm), 0) / own.length;
    const means = new Map([...years].map(([year, own]) => [year, mean(own).toFixed(2)]));
    return rows.map((row) => (which(row) ? { ...row, rain_mm: means.get(`${row.ADM2_PCODE} ${row.year}`)! } : row));
  });

/** Net access of the state, from the table beside it, as the net use of its LGAs. */
const accessAsUse = (which: Which = () => true): Change =>
  table((rows) => {
    const [, ...lines] = readFileSync(path.join(REAL_DATA, 'coverage/itn_access_by_state_2018_2021.csv'), 'utf8')
      .trimEnd()
      .split('\n');
    const cells = lines.map((line) => line.split(','));
    const access = new Map(
      cells.filter(([year]) => year === '2018').map(([, state, , percent]) => [state, Number(percent) / 100]),
    );
    return rows.map((row) =>
      which(row) ? { ...row, itn_use: access.get(row.lga_pcode!.slice(0, 5))!.toFixed(3) } : row,
    );
  });

/** Exchanges the records of two codes in a dBase table (header and record length: bytes 8 and 10), not the outlines. */
const exchangeRecords =
  (a: string, b: string): Change =>
  (bytes) => {
    const made = Buffer.from(bytes);
    const [header, length] = [bytes.readUInt16LE(8), bytes.readUInt16LE(10)];
    const starts = Array.from({ length: bytes.readUInt32LE(4) }, (_, i) => header + i * length);
    const startOf = (code: string) => starts.find((start) => record(start).includes(code))!;
    const record = (start: number) => bytes.subarray(start, start + length);
    record(startOf(a)).copy(made, startOf(b));
    record(startOf(b)).copy(made, startOf(a));
    return made;
  };

const longitude = (column: number, { west, step }: { west: number; step: number }) => west + (column + 0.5) * step;
const latitude = (row: number, { north, step }: { north: number; step: number }) => north - (row + 0.5) * step;

export const ERRORS_IN_RELEASES: OfficeError[] = [
  {
    source: 'survey_clusters',
    name: 'rapid tests of 2015 as microscopy',
    happened: 'The microscopy column of the 2015 round was filled from the column of the rapid tests beside it.',
    change: rapidTestsAsMicroscopy(inYear('2015')),
  },
  {
    source: 'survey_clusters',
    name: 'lost slides of Kano in 2018 counted as negative',
    happened: 'Three slides of ten from Kano broke on the way to the laboratory in 2018, and were entered as negative.',
    change: lostSlidesNegative('Kano', 0.3, both(inState('NG020'), inYear('2018'))),
  },
  {
    source: 'survey_clusters',
    name: 'Niger in 2018 one row off',
    happened: 'Numbers examined and results of Niger state in 2018 were pasted one cluster too low.',
    change: offset({
      columns: ['examined', 'positivity'],
      by: -1,
      which: both(inState('NG027'), inYear('2018')),
      group: (row) => row.method!,
    }),
  },
  {
    source: 'survey_clusters',
    name: 'survey months of 2018 a month late',
    happened: 'The month of data entry, one after the visit and December at the latest, took the place of the visit.',
    change: table((rows) =>
      rows.map((row) => {
        const month = Math.min(12, Number(row.period!.slice(-2)) + 1);
        return inYear('2018')(row) ? { ...row, period: `2018-${String(month).padStart(2, '0')}` } : row;
      }),
    ),
  },
  {
    source: 'survey_clusters',
    name: 'clusters of Benue in 2018 at the capital',
    happened: 'A join by state gave all clusters of Benue in 2018 the LGA of the state office, Makurdi.',
    change: joinedTo(() => ({ lga_pcode: 'NG007013', lga: 'Makurdi' }), both(inState('NG007'), inYear('2018'))),
  },
  {
    source: 'survey_clusters',
    name: 'the new round 2018 with the results of 2015',
    happened: "The new round's places were joined to the results of 2015, by state, method and order.",
    before: without(inYear('2018')),
    change: paste({
      columns: ['examined', 'positivity'],
      from: inYear('2015'),
      to: inYear('2018'),
      group: (row) => `${row.state_pcode} ${row.method}`,
    }),
  },
  {
    source: 'cases_states',
    name: 'Kebbi in 2023 as in 2022',
    happened: "Kebbi's sheet of 2022 was copied as a form for 2023, and nobody typed over its counts.",
    change: paste({
      columns: ['confirmed'],
      from: both(inState('NG022'), inYear('2022')),
      to: both(inState('NG022'), inYear('2023')),
      group: byMonthOfYear,
    }),
  },
  {
    source: 'cases_states',
    name: 'suspected cases of Kwara in 2022',
    happened: 'The export of Kwara for 2022 took the column of suspected cases in place of the confirmed ones.',
    change: suspected('Kwara', both(inState('NG024'), inYear('2022'))),
  },
  {
    source: 'cases_lgas',
    name: 'the total of Benue in the row of Makurdi in 2023',
    happened: "The state office at Makurdi sent the state's total as its own LGA's count in each month of 2023.",
    change: totalAmong(
      ['confirmed'],
      both(inState('NG007'), inYear('2023')),
      both(inLga('NG007013'), inYear('2023')),
      byPeriod,
    ),
  },
  {
    source: 'cases_lgas',
    name: 'Jos South in 2022 with the counts of Jos North',
    happened: 'The sheet of Jos North for 2022 was filed under Jos South too.',
    change: paste({
      columns: ['confirmed'],
      from: both(inLga('NG032005'), inYear('2022')),
      to: both(inLga('NG032006'), inYear('2022')),
      group: byPeriod,
    }),
  },
  {
    source: 'cases_lgas',
    name: 'a new month with the counts of a year earlier',
    happened: 'The export of December 2023 was made with the year 2022, and then labelled December 2023.',
    before: without(inMonth('2023-12')),
    change: paste({
      columns: ['confirmed'],
      from: inMonth('2022-12'),
      to: inMonth('2023-12'),
      group: byLgaAndMonth,
    }),
  },
  {
    source: 'cases_lgas',
    name: 'Akwa Ibom in 2023 one row off',
    happened: 'The counts of Akwa Ibom for 2023 were pasted one LGA too low.',
    change: offset({
      columns: ['confirmed'],
      by: -1,
      which: both(inState('NG003'), inYear('2023')),
      group: byPeriod,
    }),
  },
  {
    source: 'climate',
    name: 'the new year 2016 with the weather of 2015',
    happened: 'The script for 2016 read the stations of 2015 again, and wrote them with the new year.',
    before: without(inClimateYear('2016')),
    change: paste({
      columns: ['rain_mm', 'tmean_c', 'rh'],
      from: inClimateYear('2015'),
      to: inClimateYear('2016'),
      group: (row) => `${row.ADM2_PCODE} ${row.month}`,
    }),
  },
  {
    source: 'climate',
    name: 'rain of Kogi without a season in the new year 2016',
    happened: "Only the year's rain of Kogi was at hand for 2016, and a twelfth of it was given to each month.",
    before: without(inClimateYear('2016')),
    change: rainWithoutSeason(both(inState('NG023'), inClimateYear('2016'))),
  },
  {
    source: 'climate',
    name: 'Calabar with the weather of Sokoto',
    happened: 'The station number of Calabar-Municipal was mistyped as that of Sokoto North, for all years.',
    change: paste({
      columns: ['rain_mm', 'tmean_c', 'rh'],
      from: inLga('NG034016'),
      to: inLga('NG009010'),
      group: (row) => `${row.year} ${row.month}`,
    }),
  },
  {
    source: 'population_census',
    name: 'Kano one row off',
    happened: 'People and children of Kano were pasted one LGA too low.',
    change: offset({ columns: ['T_TL', 'T_00_04'], by: -1, which: inState('NG020'), group: () => '' }),
  },
  {
    source: 'itn_use',
    name: 'access in place of use',
    happened: "The share with access to a net in each LGA's state was exported under the name of the share using one.",
    change: accessAsUse(),
  },
  {
    source: 'travel_minutes_to_care',
    name: 'Katsina one row off',
    happened: "The five numbers of people of Katsina's LGAs were pasted one LGA too low.",
    change: offset({
      columns: ['pop_total', 'tt_below30', 'tt_30_60', 'tt_60_110', 'tt_above110'],
      by: -1,
      which: (row) => row.state === 'Katsina',
      group: () => '',
    }),
  },
  {
    source: 'population',
    name: 'the overlap of two tiles counted twice',
    happened: 'Two tiles that overlap by a quarter of a degree, 8 to 8.25° E, were added where they overlap.',
    change: each((people, column, _, cells) => {
      const east = longitude(column, cells);
      return east > 8 && east < 8.25 ? 2 * people : people;
    }),
  },
  {
    source: 'lga_boundaries',
    file: '.dbf',
    name: 'attributes of Jos North and Wase exchanged',
    happened: 'An editor of the outlines pasted the attributes of Jos North and Wase, two LGAs of Plateau, crosswise.',
    change: exchangeRecords('NG032005', 'NG032017'),
  },
];

export const ERRORS_IN_FIRST_FILES: OfficeError[] = [
  {
    source: 'survey_clusters',
    name: 'rapid tests as microscopy in every round',
    happened: 'The results of rapid tests were joined to the rows of both methods.',
    change: rapidTestsAsMicroscopy(() => true),
  },
  {
    source: 'survey_clusters',
    name: 'numbers examined of 2015 doubled',
    happened: 'A join with the list of mothers repeated each child of 2015, so that twice as many were examined.',
    change: times('examined', 2, inYear('2015')),
  },
  {
    source: 'survey_clusters',
    name: 'lost slides of two cells in five counted as negative',
    happened: 'The slides of two places in five were never read in 2018, and the laboratory entered them as negative.',
    change: seeded('slides of 2018', ({ uniform }) =>
      map(
        'positivity',
        (positivity) => (uniform() < 0.4 ? 0 : positivity),
        both(byMethod('microscopy'), inYear('2018')),
      ),
    ),
  },
  {
    source: 'survey_clusters',
    name: "clusters of 2010 joined to each state's first LGA",
    happened: "A join of 2010 by state took the first LGA of each state's clusters for all of them.",
    change: joinedTo(
      (row, rows) => rows.find((own) => inYear('2010')(own) && own.state_pcode === row.state_pcode)!,
      inYear('2010'),
    ),
  },
  {
    source: 'survey_clusters',
    name: 'the North West in 2018 with the results of 2015',
    happened: 'The results of 2018 for seven states were joined to those of 2015, by state, method and order.',
    change: paste({
      columns: ['examined', 'positivity'],
      from: inYear('2015'),
      to: both(
        inYear('2018'),
        (row) => /^NG0(18|19|20|21|22|34|37)$/.test(row.state_pcode!), // Jigawa, Kaduna, Kano, Katsina, Kebbi, Sokoto, Zamfara
      ),
      group: (row) => `${row.state_pcode} ${row.method}`,
    }),
  },
  {
    source: 'survey_clusters',
    name: 'Delta one row off',
    happened: 'The results of Delta were pasted one cluster too low, in each round and for both methods.',
    change: offset({
      columns: ['positivity'],
      by: -1,
      which: inState('NG010'),
      group: (row) => `${row.survey_year} ${row.method}`,
    }),
  },
  {
    source: 'survey_clusters',
    name: 'all clusters of 2018 in the first month of fieldwork',
    happened: 'The month in which the round of 2018 began was entered for each of its clusters.',
    change: table((rows) => rows.map((row) => (inYear('2018')(row) ? { ...row, period: '2018-08' } : row))),
  },
  {
    source: 'cases_states',
    name: 'Kebbi with the year 2020 four times',
    happened: "Kebbi's sheet of 2020 was sent again in each of the three years after it.",
    change: paste({
      columns: ['confirmed'],
      from: both(inState('NG022'), inYear('2020')),
      to: inState('NG022'),
      group: byMonthOfYear,
    }),
  },
  {
    source: 'cases_lgas',
    name: 'the total of Ebonyi in the row of Abakaliki',
    happened: "The row of Abakaliki, where the state office is, holds the state's total in each of the 48 months.",
    change: totalAmong(['confirmed'], inState('NG011'), inLga('NG011001'), byPeriod),
  },
  {
    source: 'cases_lgas',
    name: 'Ibadan North West with the counts of Ibadan North East',
    happened:
      'The export asked twice for Ibadan North East, and gave it the name of Ibadan North West the second time.',
    change: paste({ columns: ['confirmed'], from: inLga('NG031007'), to: inLga('NG031008'), group: byPeriod }),
  },
  {
    source: 'cases_lgas',
    name: 'suspected cases of Cross River in 2022',
    happened: 'The export of Cross River for 2022 took the column of suspected cases in place of the confirmed ones.',
    change: suspected('Cross River', both(inState('NG009'), inYear('2022'))),
  },
  {
    source: 'cases_lgas',
    name: 'Bauchi in 2023 as in 2022',
    happened: 'The export of Bauchi for 2023 was made with the year 2022, and then labelled 2023.',
    change: paste({
      columns: ['confirmed'],
      from: both(inState('NG005'), inYear('2022')),
      to: both(inState('NG005'), inYear('2023')),
      group: byLgaAndMonth,
    }),
  },
  {
    source: 'climate',
    name: 'Enugu without rain',
    happened: 'The stations of Enugu did not report rain, and a missing value was read as 0.',
    change: map('rain_mm', () => 0, inState('NG014')),
  },
  {
    source: 'climate',
    name: 'rain of Rivers without a season',
    happened: 'Only the rain of each year was at hand for Rivers, and a twelfth of it was given to each month.',
    change: rainWithoutSeason(inState('NG033')),
  },
  {
    source: 'climate',
    name: 'Adamawa in years that begin in April',
    happened: "Adamawa's sheets count the months of a year from April, which was read as month 1.",
    change: offset({
      columns: ['rain_mm', 'tmean_c', 'rh'],
      by: 3,
      which: inState('NG002'),
      group: (row) => row.ADM2_PCODE!,
    }),
  },
  {
    source: 'population_census',
    name: 'the total of Gombe in its first row',
    happened: "The line with the state's total was read as that of Akko, Gombe's first LGA.",
    change: totalAmong(['T_TL', 'T_00_04'], inState('NG016'), inLga('NG016001'), () => ''),
  },
  {
    source: 'itn_use',
    name: 'access in place of use in Ogun',
    happened: "The LGAs of Ogun had no estimate of use, and were given the state's share with access to a net.",
    change: accessAsUse(inState('NG028')),
  },
  {
    source: 'travel_minutes_to_care',
    name: 'the same walk everywhere in Osun',
    happened: "The shares of walking time of the whole of Osun were given to each of its LGAs, times the LGA's people.",
    change: table((rows) => {
      const classes = ['tt_below30', 'tt_30_60', 'tt_60_110', 'tt_above110'];
      const own = rows.filter(({ state }) => state === 'Osun');
      const total = (column: string) => own.reduce((sum, row) => sum + Number(row[column]), 0);
      const share = new Map(classes.map((column) => [column, total(column) / total('pop_total')]));
      const people = (row: Row, column: string) => (Number(row.pop_total) * share.get(column)!).toFixed(1);
      return rows.map((row) =>
        own.includes(row) ? { ...row, ...Object.fromEntries(classes.map((name) => [name, people(row, name)])) } : row,
      );
    }),
  },
  {
    source: 'population',
    name: 'the overlap of two rows of tiles counted twice',
    happened: 'Two rows of tiles that overlap by a quarter of a degree, 10 to 10.25° N, were added where they overlap.',
    change: each((people, _, row, cells) => {
      const north = latitude(row, cells);
      return north > 10 && north < 10.25 ? 2 * people : people;
    }),
  },
  {
    source: 'lga_boundaries',
    file: '.dbf',
    name: 'attributes of Kaiama and Ilorin West exchanged',
    happened: 'The attribute table was sorted by hand, and the rows of Kaiama and Ilorin West changed their places.',
    change: exchangeRecords('NG024011', 'NG024008'),
  },
];

/**
 * Files with the same values in another program's form, which must raise nothing: a mutation is not caught by its form.
 */
export const REWRITTEN: Mutation[] = [
  ...Object.entries({
    survey_clusters: 'positivity',
    cases_lgas: 'confirmed',
    climate: 'rain_mm',
  }).map(([source, column]) => ({ source, name: 'written again', change: map(column, (value) => value) })),
  { source: 'population', name: 'written again', change: each((people) => people) },
];
