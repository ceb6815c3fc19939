import { expect, test } from 'vitest';
import { checkCountry } from '../../../../pipeline/intake/check/check-country.ts';
import { stopsBuild } from '../../../../pipeline/intake/check/fault.ts';
import { LGAS } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';
import { CASES, cases, country, GIVEN, ingested, iso, long, MONTHS, NAMES, table } from './drafted-tables.ts';

test('health districts, whatever their column is called, are summed into the areas that they are in', async () => {
  const content = table(
    'district,DS,period,confirmed',
    LGAS.flatMap((_, lga) =>
      MONTHS.flatMap((month, i) =>
        [1, 2].map((part) =>
          [`Place ${lga + 1}`, `DS ${lga}-${part}`, iso(month), part === 1 ? 40 : cases(lga, i) - 40].join(','),
        ),
      ),
    ),
  );
  const { cases: found, sources } = await ingested(country({ 'x.csv': content }));
  expect(found).toEqual(CASES);
  expect(sources.find(({ role }) => role === 'cases_lgas')!.columns).toMatchObject({ lga: 'district', facility: 'DS' });
});

/** The cases of three facilities of an area, which add up to its own; the last of the first area lacks a report. */
const FACILITIES = LGAS.flatMap((_, lga) =>
  [0, 1, 2].map((nth) => ({ lga, nth, id: `HF${lga}${nth}`, name: `Post ${nth}` })),
);

const reports = ({ lga, nth }: (typeof FACILITIES)[number], i: number) =>
  lga === 0 && nth === 2 && i === 5 ? '' : nth === 0 ? cases(lga, i) - 30 : 10 * nth;
const SUMS = CASES.map((row, i) => (i === 5 ? expect.objectContaining({ lga_code: LGAS[0], confirmed: null }) : row));

const wide = table(
  `Health facility ID,${MONTHS.map(({ year, month }) => `${NAMES[month - 1]!.slice(0, 3)}-${year % 100}`).join(',')}`,
  FACILITIES.map((facility) => [facility.id, ...MONTHS.map((_, i) => reports(facility, i))].join(',')),
);

const longBy = (header: string, place: (facility: (typeof FACILITIES)[number]) => string) =>
  table(
    header,
    FACILITIES.flatMap((facility) =>
      MONTHS.map((month, i) => [place(facility), iso(month), reports(facility, i)].join(',')),
    ),
  );
const listOf = (header: string, place: (lga: number) => string) =>
  table(
    header,
    FACILITIES.map(({ id, lga, nth }) => `${id},Post ${lga}-${nth},${place(lga)}`),
  );

test.each<[string, Record<string, string>, Record<string, string> | null]>([
  [
    'months as columns, and a list with names of areas',
    { 'hf.csv': wide, 'list.csv': listOf('facility_id,facility,district', (lga) => `Place ${lga + 1}`) },
    { facility: 'facility_id', lga: 'district' },
  ],
  [
    'a row for each month, and a list with coordinates',
    {
      'hf.csv': longBy('facility,period,confirmed', ({ id }) => id),
      'list.csv': listOf('orgunit,facilityname,longitude,latitude', (lga) => `${3.5 + lga},4.5`),
    },
    { facility: 'orgunit', longitude: 'longitude', latitude: 'latitude' },
  ],
  [
    'areas of their own, without a list',
    { 'hf.csv': longBy('district,facility,period,confirmed', ({ lga, name }) => `${LGAS[lga]},${name}`) },
    null,
  ],
])('cases by facility are recognised with %s', async (_, files, list) => {
  const { cases: found, sources, draft } = await ingested(country(files));
  expect(found).toEqual(SUMS);
  expect(sources.find(({ role }) => role === 'facilities')?.columns ?? null).toEqual(list);
  const { columns, notes } = sources.find(({ role }) => role === 'cases_lgas')!;
  expect(columns).toHaveProperty('facility');
  expect(notes!.at(-1)).toMatch(/facilities are summed into/);
  expect(draft.leftOut.filter(({ lost }) => lost !== null)).toEqual([]);
});

/** Rows of positives by rapid test and by microscopy, whose sums are `cases`, and the number tested. */
const byTest = (header: string) =>
  longBy(header, ({ id, lga, nth }) => `Place ${lga + 1},${id},${nth}`).replaceAll(/,(\d*)$/gm, (_, n) =>
    n === '' ? ',999,,' : `,999,${Math.floor(Number(n) / 3)},${Number(n) - Math.floor(Number(n) / 3)}`,
  );

test.each([
  ['PALU_TDR positifs', 'PALU_GE positives'],
  ['RDT positive', 'Slides positive'],
  ['TDR positivos', 'Gota espessa positivos'],
  ['conf_rdt', 'conf_mic'],
])('cases are drafted as the sum of "%s" and "%s"', async (rdt, microscopy) => {
  const header = `district,facility,nth,periodid,Cas testés (TDR+GE),${rdt},${microscopy}`;
  const { cases: found, sources, draft } = await ingested(country({ 'hf.csv': byTest(header) }));
  expect(found).toEqual(SUMS);
  const { columns, sums, notes } = sources.find(({ role }) => role === 'cases_lgas')!;
  expect(columns).toEqual({ lga: 'district', facility: 'facility', period: 'periodid' });
  expect(sums).toEqual({ confirmed: [rdt, microscopy] });
  expect(notes!.at(-1)).toContain(`confirmed: the sum of "${rdt}" and "${microscopy}"`);
  expect(draft.doubts).toEqual([]);
});

test('columns of positives that leave a test out are no cases until somebody says which to add up', async () => {
  const file = (more: string) => byTest(`district,facility,nth,periodid,${more}`);
  const unknown = country({ 'hf.csv': file('Consultations,RDT positive <5,RDT positive 5+') });
  const { draft } = await draftOf(unknown);
  expect(draft.leftOut[0]).toMatchObject({
    why: 'no columns are known to count each confirmed case once, of "RDT positive <5", "RDT positive 5+" (answer "cases of hf.csv" with those to add up)',
    lost: 'cases',
  });
  expect(draft.questions.at(-1)).toMatchObject({ id: 'cases of hf.csv', guess: 'none' });
  const answered = await draftOf(unknown, { 'cases of hf.csv': 'RDT positive <5; RDT positive 5+' });
  const { entry } = answered.draft.entries.find((one) => one.entry.role === 'cases_lgas')!;
  expect(entry.sums).toEqual({ confirmed: ['RDT positive <5', 'RDT positive 5+'] });
});

test('cases by facility without its list are named as lost', async () => {
  const { draft } = await draftOf(country({ 'hf.csv': wide }));
  expect(draft.leftOut).toContainEqual(
    expect.objectContaining({
      why: expect.stringMatching(/by facility, and no list of facilities/),
      lost: 'monthly records',
    }),
  );
});

test('a later delivery of cases by facility takes the place of the months that both have', async () => {
  const all = longBy('district,facility,period,confirmed', ({ lga, name }) => `${LGAS[lga]},${name}`);
  const keep = (is: (period: string) => boolean) =>
    table(
      all.split('\n')[0]!,
      all
        .trim()
        .split('\n')
        .filter((line) => is(line.split(',')[2]!) && !line.startsWith('district')),
    );
  // Before late forms came in, one facility of each area had no report.
  const early = keep((period) => period <= '2019-06').replaceAll(/^(.*,Post 1,2019-0[456]),.*$/gm, '$1,');
  const late = keep((period) => period >= '2019-04');
  const { cases: found } = await ingested(country({ 'early.csv': early, 'late.csv': late }));
  expect(found).toEqual(SUMS);
});

/** The counts of the posts of an area, with an uneven first one, and rows that are sums of some of them. */
const posts = (lga: number, i: number): [string, number][] => [
  ['A', cases(lga, i) - 60 - (i % 5)],
  ['B', 20],
  ['C', 30 + (i % 5)],
  ['D', 10],
];
const withSums = (sums: (lga: number, i: number) => [string, number][]) =>
  table(
    'district,facility,period,confirmed',
    LGAS.flatMap((_, lga) =>
      MONTHS.flatMap((month, i) =>
        sums(lga, i).map(([name, count]) => [`Place ${lga + 1}`, name, iso(month), count].join(',')),
      ),
    ),
  );

test.each<[string, (lga: number, i: number) => [string, number][], Record<string, string>[]]>([
  ['one name in all areas', (lga, i) => [['All', cases(lga, i)], ...posts(lga, i)], [{ facility: 'All' }]],
  [
    'the name of the area, of which one has a single facility',
    (lga, i) => [
      ...(lga === 3 ? [['A', cases(lga, i)] as [string, number]] : posts(lga, i)),
      [`Place ${lga + 1}`, cases(lga, i)],
    ],
    [0, 1, 2].map((lga) => ({ facility: `Place ${lga + 1}` })).concat({ lga: 'Place 4', facility: 'A' } as never),
  ],
  [
    'totals of parts of the areas',
    (lga, i) => {
      const [a, b, c, d] = posts(lga, i) as [[string, number], [string, number], [string, number], [string, number]];
      return [['All', cases(lga, i)], ['North', a[1] + b[1]], a, b, ['South', c[1] + d[1]], c, d];
    },
    [{ facility: 'All' }, { facility: 'North' }, { facility: 'South' }],
  ],
])('totals among facilities are left out, and declared: %s', async (_, sums, where) => {
  const { cases: found, sources, draft } = await ingested(country({ 'x.csv': withSums(sums) }));
  expect(found).toEqual(CASES);
  const { leave_out } = sources.find(({ role }) => role === 'cases_lgas')!;
  expect(leave_out!.map((one) => one.where)).toEqual(where);
  expect(draft.doubts).toEqual([
    expect.stringMatching(/^x\.csv: totals among the rows of 4 of 4 areas are left out: /),
  ]);
});

test('totals are left out where some of their parts are missing, and what they alone have is told', async () => {
  // In the last area reports are missing in two months of three.
  const isMissing = (lga: number, i: number) => (lga === 3 ? i % 3 > 0 : i % 9 === lga);
  const content = withSums((lga, i) => [['All', cases(lga, i)], ...posts(lga, i).slice(isMissing(lga, i) ? 1 : 0)]);
  const { draft, sources } = await ingested(country({ 'x.csv': content }));
  expect(sources.find(({ role }) => role === 'cases_lgas')!.leave_out).toMatchObject([{ where: { facility: 'All' } }]);
  const missing = LGAS.flatMap((_, lga) => MONTHS.map((_, i) => (isMissing(lga, i) ? posts(lga, i)[0]![1] : 0)));
  const more = missing.reduce((a, b) => a + b);
  expect(draft.doubts).toEqual([
    expect.stringMatching(new RegExp(`^x\\.csv: totals among the rows of 4 of 4 areas .*, and they have ${more} more`)),
  ]);
});

test('a hospital with half of the cases of its area, give or take one, is no total', async () => {
  const content = withSums((lga, i) => [
    ['Hospital', 5 * cases(lga, i) + (i % 4)],
    ['A', 3 * cases(lga, i)],
    ['B', 2 * cases(lga, i)],
  ]);
  const { sources } = await ingested(country({ 'x.csv': content }));
  expect(sources.find(({ role }) => role === 'cases_lgas')!.leave_out).toBeUndefined();
});

test('a facility that has as many cases as another one, beside one that has none, is no total', async () => {
  const content = withSums((lga, i) => [
    ['A', cases(lga, i)],
    ['B', cases(lga, i)],
    ['C', 0],
  ]);
  const { draft, sources } = await ingested(country({ 'x.csv': content }));
  expect(draft.doubts).toEqual([]);
  expect(sources.find(({ role }) => role === 'cases_lgas')!.leave_out).toBeUndefined();
});

test('totals that a catalog does not leave out are a finding', async () => {
  const directory = country({ 'x.csv': withSums((lga, i) => [['All', cases(lga, i)], ...posts(lga, i)]) });
  const { sources, model, root } = await catalogOf(directory, GIVEN);
  for (const source of sources) delete source.leave_out;
  const written = filesOf({ 'sources.json': JSON.stringify({ sources }), 'model.json': JSON.stringify(model) });
  const doubts = (await checkCountry(written, root)).filter((fault) => !stopsBuild(fault));
  expect(doubts.map(({ what }) => what)).toContainEqual(
    expect.stringMatching(/^cases_lgas: totals are summed with their parts: All \(NG001001 Place 1\); All /),
  );
});

test.each([
  ['fewer', 1],
  ['more', 60],
])('%s cases of community workers do not replace those of their areas, whatever is answered', async (_, factor) => {
  const community = LGAS.flatMap((code, lga) =>
    [1, 2].flatMap((site) =>
      MONTHS.map((month, i) => {
        const [under5, older] = [factor * site, factor * ((i + lga) % 9)];
        return [code, `${code} site ${site}`, iso(month), under5, older, under5 + older];
      }),
    ),
  );
  const directory = country({
    'cases.csv': long('code,month,confirmed', iso),
    'community.csv': table(
      'code,site,month,RDT positive <5,RDT positive 5+,Total',
      community.map((cells) => cells.join(',')),
    ),
  });
  const { draft } = await draftOf(directory, { 'cases of community.csv': 'Total' });
  const { files } = draft.entries.find(({ entry }) => entry.role === 'cases_lgas')!;
  expect(files[0]!.path).toBe('cases.csv');
  const [left] = draft.leftOut.filter(({ file, lost }) => file === 'community.csv' && lost === 'cases');
  expect(left!.why).toMatch(/^gives other cases than cases\.csv in 144 of 144 areas and months of both: /);
});

test('a list with a facility in two areas is named, not ignored', async () => {
  const list = listOf('facility_id,facility,district', (lga) => `Place ${lga + 1}`);
  const { draft } = await draftOf(country({ 'hf.csv': wide, 'list.csv': `${list}HF00,Post 0-0,Place 2\n` }));
  expect(draft.leftOut.find(({ file }) => file === 'list.csv')).toMatchObject({
    why: expect.stringMatching(/several rows of (HF00|Post 0-0); leave one row/),
    lost: 'cases',
  });
});
