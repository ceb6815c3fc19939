/**
 * Every check of content finds the fault that it is for, and none of them finds anything in a country without faults.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { addMonths, calendarMonth, monthFromIndex } from '../../../../pipeline/contract/months.ts';
import type { CasesRow, SurveyRow } from '../../../../pipeline/ingest/ingest-tables.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { CHECKS, listDoubts } from '../../../../pipeline/measure/doubts/checks.ts';
import type { Content } from '../../../../pipeline/measure/doubts/content.ts';

const STATES = 12;
const LGAS = 12;
const MONTHS = 60;
const FIRST = '2018-01';
const lgaOf = (state: number, lga: number) => `S${String(state).padStart(2, '0')}L${String(lga).padStart(2, '0')}`;
const stateOf = (state: number) => `S${String(state).padStart(2, '0')}`;

type Writable = {
  -readonly [Name in keyof Content]: Content[Name] extends readonly (infer Row)[] ? Row[] : Content[Name];
};

/** Twelve states of twelve LGAs on a grid: rain, cases and people that agree, and two rounds by both methods. */
function country(): Writable {
  const stream = randomStream(1, 'a country without faults');
  const random = () => stream.uniform();
  const noise = (size: number) => size * (random() + random() + random() - 1.5);
  const codes = Array.from({ length: STATES * LGAS }, (_, i) => lgaOf(Math.floor(i / LGAS), i % LGAS));
  // A row of the grid is a state; an LGA's neighbours share an edge.
  const neighbours = Object.fromEntries(
    codes.map((code, i) => [
      code,
      [i % LGAS > 0 ? i - 1 : -1, i % LGAS < LGAS - 1 ? i + 1 : -1, i - LGAS, i + LGAS].flatMap((j) => codes[j] ?? []),
    ]),
  );
  const months = Array.from({ length: MONTHS }, (_, i) => addMonths(FIRST, i));
  const of = months.map(
    (month, i) => 120 - 110 * Math.cos(((calendarMonth(month) - 1) * Math.PI) / 6) + noise(60 + i / 12),
  );
  const people = new Map(codes.map((code) => [code, Math.round(100_000 * Math.exp(noise(1.5)))]));
  const climate = codes.flatMap((lga_code, lga) =>
    months.map((period, i) => ({
      lga_code,
      period,
      rain_mm: Math.max(0.1, Math.round(10 * (of[i]! * (1 + lga / 300) + noise(4))) / 10),
      temperature_c: Math.round(100 * (24 + Math.floor(lga / LGAS) / 4 + (lga % LGAS) / 9 + noise(0.1))) / 100,
    })),
  );
  const cases: CasesRow[] = codes.flatMap((lga_code, lga) => {
    const rate = 0.01 * Math.exp(noise(0.6));
    return months.map((period, i) => ({
      state_code: stateOf(Math.floor(lga / LGAS)),
      lga_code,
      period,
      confirmed: Math.round(people.get(lga_code)! * rate * (1 + of[Math.max(0, i - 1)]! / 120) * Math.exp(noise(0.1))),
      reporting_rate: null,
      masked: false,
    }));
  });
  const surveys = [2018, 2021].flatMap((survey_year) =>
    codes.flatMap((lga_code, i): SurveyRow[] => {
      const examined = 17 + Math.floor(14 * random());
      const positive = Math.floor(examined * (0.25 + 0.5 * random()));
      const row = {
        survey_year,
        sample: `${survey_year} ${lga_code}`,
        state_code: stateOf(Math.floor(i / LGAS)),
        lga_code,
        period: `${survey_year}-${10 + (i % 3)}`,
        longitude: 5 + (i % LGAS) + noise(0.4),
        latitude: 5 + Math.floor(i / LGAS) + noise(0.4),
      };
      // Half of the samples lost a slide or two.
      const read = examined - Math.max(0, Math.floor(4 * random()) - 1);
      const slides = Math.min(read, Math.max(0, positive - 2 - Math.floor(4 * random())));
      return [
        { ...row, method: 'microscopy', examined: read, positivity: slides / read },
        { ...row, method: 'rdt', examined, positivity: positive / examined },
      ];
    }),
  );
  return {
    areas: {
      states: Array.from({ length: STATES }, (_, i) => ({
        state_code: stateOf(i),
        state_pcode: stateOf(i),
        state: `State ${i}`,
        zone: null,
      })),
      lgas: codes.map((lga_code, i) => ({ lga_code, lga: `Place ${i}`, state_code: stateOf(Math.floor(i / LGAS)) })),
    },
    neighbours,
    climate,
    gridded: false,
    surveys,
    cases,
    census: codes.map((lga_code) => ({
      lga_code,
      people: Math.round(people.get(lga_code)! * Math.exp(noise(0.2))),
      children_0_4: null,
    })),
    layers: codes.map((lga_code, i) => {
      const access = 0.3 + 0.04 * Math.floor(i / LGAS);
      return {
        lga_code,
        travel_minutes_to_care: 20 + (i % 7),
        effective_treatment: null,
        irs_coverage: 0,
        itn_use: access * (0.8 + 0.01 * (i % LGAS)),
        itn_access: access,
      };
    }),
    people,
  };
}

const recordOf = (content: Writable, code: string) => content.cases.filter(({ lga_code }) => lga_code === code);
const rainOf = (content: Writable, code: string) => content.climate.filter(({ lga_code }) => lga_code === code);
const isIn = (state: number) => (row: { lga_code: string | null }) => row.lga_code?.startsWith(stateOf(state)) ?? false;
const lastRound = (content: Writable, state?: number) =>
  content.surveys.filter(
    (row) => row.survey_year === 2021 && (state === undefined || row.state_code === stateOf(state)),
  );
/** Rotates a column: row `i` gets the value of row `i + by`. */
function rotate<Row>(rows: readonly Row[], column: keyof Row, by: number): void {
  const values = rows.map((row) => row[column]);
  for (const [i, row] of rows.entries()) row[column] = values.at((i + by) % values.length)!;
}
/** Adds up cases from a month of the year on, or from the first month of the record. */
function addUp(rows: readonly CasesRow[], start: number): void {
  let sum = 0;
  for (const row of rows) {
    sum = (calendarMonth(row.period) === start ? 0 : sum) + row.confirmed!;
    row.confirmed = sum;
  }
}
/** Leaves a part of the cases of a month. */
function keepOf(rows: readonly CasesRow[], period: string, part: number): void {
  for (const row of rows) if (row.period === period) row.confirmed = Math.round(part * row.confirmed!);
}
const eachPair = (rows: readonly SurveyRow[], change: (slides: SurveyRow, rapid: SurveyRow) => void) => {
  for (const [i, row] of rows.entries()) if (row.method === 'microscopy') change(row, rows[i + 1]!);
};

/** For each check, by its finding: a fault, and what its line must name. */
const FAULTS: Record<string, [change: (content: Writable) => void, names: RegExp][]> = {
  'clusters share one location': [
    [
      (content) => {
        for (const row of lastRound(content)) Object.assign(row, { longitude: 8.5, latitude: 9 });
      },
      /144 clusters of round 2021 at 8.5, 9/,
    ],
    [
      (content) => {
        for (const row of lastRound(content, 3)) row.lga_code = lgaOf(3, 5);
      },
      /12 of 12 clusters of round 2021 in S03L05/,
    ],
  ],
  'coordinates look like degrees and minutes': [
    [
      (content) => {
        const toMinutes = (degrees: number) => Math.trunc(degrees) + 0.6 * (degrees % 1);
        for (const row of lastRound(content))
          Object.assign(row, { longitude: toMinutes(row.longitude!), latitude: toMinutes(row.latitude!) });
      },
      /none of 144 clusters of round 2021 has a fraction of \.6 or more/,
    ],
  ],
  'a round has one month': [
    [
      (content) => {
        for (const row of lastRound(content)) row.period = '2021-10';
      },
      /all 144 samples of round 2021 in 2021-10, at most 48 a month in other rounds/,
    ],
  ],
  'one result fills a round': [
    [
      (content) => {
        for (const row of lastRound(content)) row.positivity = row.method === 'rdt' ? 0.31 : 0.27;
      },
      /27.0% in 144 of 144 rows of round 2021 by microscopy; 31.0%/,
    ],
  ],
  'a round repeats another': [
    [
      (content) => {
        const first = content.surveys.filter(({ survey_year }) => survey_year === 2018);
        for (const [i, row] of lastRound(content).entries())
          Object.assign(row, { examined: first[i]!.examined, positivity: first[i]!.positivity });
      },
      /results of round 2021 by microscopy are those of round 2018 by microscopy/,
    ],
    [
      (content) => {
        const first = content.surveys.filter((row) => row.survey_year === 2018 && row.state_code === 'S03');
        for (const [i, row] of lastRound(content, 3).entries())
          Object.assign(row, { examined: first[i]!.examined, positivity: first[i]!.positivity });
      },
      /results of S03 State 3 in round 2021 by microscopy are those of round 2018 by microscopy/,
    ],
  ],
  'a round differs by a factor of more than 4 from all others': [
    [
      (content) => {
        for (const row of lastRound(content)) row.positivity /= 100;
      },
      /round 2021: 0\.\d% by microscopy, \d\d\.\d% in others/,
    ],
  ],
  'the numbers examined have a common divisor': [
    [
      (content) => {
        for (const row of lastRound(content, 3)) row.examined! *= 5;
      },
      /all 12 numbers of round 2021 by microscopy in S03 State 3 are multiples of 5/,
    ],
    [
      (content) => {
        for (const row of lastRound(content)) row.examined! *= 2;
      },
      /all 144 numbers of round 2021 by microscopy are multiples of 2/,
    ],
  ],
  'both methods have the same results': [
    [
      (content) => eachPair(lastRound(content, 3), (slides, rapid) => (slides.positivity = rapid.positivity)),
      /in 12 of 12 samples of round 2021 in S03 State 3/,
    ],
    [
      (content) => eachPair(lastRound(content), (slides, rapid) => (slides.positivity = rapid.positivity)),
      /in 144 of 144 samples of round 2021\. /,
    ],
  ],
  'microscopy exceeds the rapid test': [
    [
      (content) => {
        for (const row of lastRound(content, 3)) row.method = row.method === 'rdt' ? 'microscopy' : 'rdt';
      },
      /samples of round 2021 in S03 State 3/,
    ],
    [
      (content) => {
        for (const row of lastRound(content)) row.method = row.method === 'rdt' ? 'microscopy' : 'rdt';
      },
      /round 2021: \d\d.\d% by microscopy, \d\d.\d% by rapid test/,
    ],
  ],
  'a column stands one row off': [
    [
      (content) =>
        rotate(
          lastRound(content, 3).filter(({ method }) => method === 'microscopy'),
          'positivity',
          1,
        ),
      /round 2021 in S03 State 3/,
    ],
    [(content) => rotate(content.cases.filter(isIn(3)), 'confirmed', -1), /S03: \d+ of 11 areas/],
    [(content) => rotate(content.census.filter(isIn(3)), 'people', 1), /S03 State 3/],
  ],
  'no slide was lost': [
    [
      (content) => eachPair(lastRound(content), (slides, rapid) => (slides.examined = rapid.examined)),
      /in 144 of 144 samples of round 2021/,
    ],
  ],
  'slides are negative where rapid tests are positive': [
    [
      (content) => {
        for (const [i, row] of lastRound(content).entries()) if (i % 4 === 0) row.positivity = 0;
      },
      /no slide positive in \d+ of \d+ samples of round 2021 with many positive rapid tests/,
    ],
  ],
  'rapid tests are missing where slides were read': [
    [
      (content) => {
        content.surveys = content.surveys.filter(
          (row) => !(row.survey_year === 2021 && row.state_code === 'S03' && row.method === 'rdt'),
        );
      },
      /all 12 samples of round 2021 in S03 State 3/,
    ],
  ],
  'months are those of another time or area': [
    [
      (content) => {
        const rain = rainOf(content, 'S03L04');
        for (let i = 0; i < 12; i++) rain[36 + i]!.rain_mm = rain[12 + i]!.rain_mm;
      },
      /S03L04 Place 40: 12 months from 2021-01 are those from 2019-01/,
    ],
    [
      (content) => {
        const other = recordOf(content, 'S07L02');
        for (const [i, row] of recordOf(content, 'S09L04').entries())
          if (i >= 20 && i < 29) row.confirmed = other[i]!.confirmed;
      },
      /S07L02 Place 86 from 2019-09 and S09L04 Place 112 from 2019-09: the same 9 months, of one of the two\. /,
    ],
  ],
  'months are missing or do not vary': [
    [
      (content) => {
        for (const row of content.climate.filter(isIn(3))) if (row.period.startsWith('2019')) row.rain_mm = 0;
      },
      /S03L00 Place 36: no rain for 12 months from 2019-01; .* and 9 more/,
    ],
    [
      (content) => {
        for (const row of content.climate.filter(isIn(3))) if (row.period.startsWith('2019')) row.rain_mm = 80.5;
      },
      /S03L00 Place 36: 80.5 mm in 12 successive months from 2019-01/,
    ],
    [
      (content) => {
        for (const row of rainOf(content, 'S03L04')) row.rain_mm = 100 + row.rain_mm / 100;
      },
      /S03L04 Place 40: rain varies by only 1% from month to month/,
    ],
    [
      (content) => {
        for (const row of recordOf(content, 'S03L04')) if (row.period.startsWith('2020')) row.confirmed = 4123;
      },
      /S03L04 Place 40: 4123 cases in 12 successive months from 2020-01/,
    ],
  ],
  'months come at another time than around them': [
    [
      (content) => {
        for (let lga = 0; lga < LGAS; lga++) rotate(rainOf(content, lgaOf(3, lga)), 'rain_mm', -1);
      },
      /S03 State 3 by 1 month late/,
    ],
    [(content) => rotate(rainOf(content, 'S05L04'), 'rain_mm', 2), /S05L04 Place 64 by 2 months early/],
    [(content) => rotate(recordOf(content, 'S03L04'), 'confirmed', -5), /S03L04 Place 40 by 5 months late/],
  ],
  'years of rain are exchanged': [
    [
      (content) => {
        const rain = rainOf(content, 'S03L04');
        for (let i = 0; i < 12; i++)
          [rain[12 + i]!.rain_mm, rain[36 + i]!.rain_mm] = [rain[36 + i]!.rain_mm, rain[12 + i]!.rain_mm];
      },
      /S03L04 Place 40: the rain of 2019 fits that of its neighbours in 2021/,
    ],
  ],
  'rain of a year is far from that of the others everywhere': [
    [
      (content) => {
        for (const row of content.climate) if (row.period.startsWith('2020')) row.rain_mm! /= 30;
      },
      /^rain of a year is far from that of the others everywhere: 2020: \d\d mm in the mean area, \d+ in the middle year\. /,
    ],
  ],
  'years of rain have no season': [
    [
      (content) => {
        for (const row of content.climate) if (row.period.startsWith('2020')) row.rain_mm = 90 + (row.rain_mm! % 20);
      },
      /^years of rain have no season: 2020: the three driest months have 2\d\.\d% of the year's rain, in other years \d\.\d%\. /,
    ],
  ],
  'areas never report': [
    [
      (content) => {
        content.cases = content.cases.filter(({ lga_code }) => lga_code !== 'S03L04');
      },
      /S03L04 Place 40 \(11 others of S03 State 3 report\)/,
    ],
  ],
  'cases are counted elsewhere for a time': [
    [
      (content) => {
        // Of areas alike, the second counts what the first has from July 2019 to June 2020.
        const [silent, other] = [recordOf(content, 'S03L04'), recordOf(content, 'S03L05')];
        for (const [i, row] of other.entries()) {
          row.confirmed = Math.round(0.8 * silent[i]!.confirmed!);
          if (i < 18 || i >= 30) continue;
          row.confirmed += silent[i]!.confirmed!;
          silent[i]!.confirmed = null;
        }
      },
      /S03L04 Place 40 has none from 2019-07 to 2020-06, when S03L05 Place 41 has 2\.\d times its usual ones\. /,
    ],
  ],
  'areas have records of another time than most': [
    [
      (content) => {
        // A third of S03L05 is an area of its own from 2020 on.
        const parent = recordOf(content, 'S03L05');
        for (const row of recordOf(content, 'S03L04')) {
          const whole = parent.find(({ period }) => period === row.period)!;
          row.confirmed = row.period < '2020' ? null : Math.round(whole.confirmed! / 3);
          if (row.period >= '2020') whole.confirmed! -= row.confirmed!;
        }
      },
      /S03L04 Place 40 begins in 2020-01, most others 2018-01, and S03L05 Place 41 has 1\.[45] times the cases in the year without it: both may be in its record\. /,
    ],
    [
      (content) => {
        content.cases = content.cases.filter(({ lga_code, period }) => lga_code !== 'S03L04' || period < '2022');
      },
      /S03L04 Place 40 ends with 2021-12, most others 2022-12\. /,
    ],
  ],
  'the record of the whole differs from the sum of its parts': [
    [
      (content) => {
        const months = Map.groupBy(content.cases.filter(isIn(3)), ({ period }) => period);
        for (const [period, rows] of months) {
          const sum = rows.reduce((total, { confirmed }) => total + confirmed!, 0);
          const confirmed = period.startsWith('2020') ? 2 * sum : sum;
          content.cases.push({
            state_code: 'S03',
            lga_code: null,
            period,
            confirmed,
            reporting_rate: null,
            masked: false,
          });
        }
      },
      /S03 State 3 in 12 months, such as 2020-01 \d+ instead of \d+/,
    ],
  ],
  'an area has as much as all others together': [
    [
      (content) => {
        const months = Map.groupBy(content.cases.filter(isIn(3)), ({ period }) => period);
        for (const row of recordOf(content, 'S03L04'))
          row.confirmed = months
            .get(row.period)!
            .reduce((sum, { lga_code, confirmed }) => sum + (lga_code === 'S03L04' ? 0 : confirmed!), 0);
      },
      /S03L04 Place 40: (\d+) cases, \1 in the 11 others together/,
    ],
    [
      (content) => {
        const others = content.census.filter((row) => isIn(3)(row) && row.lga_code !== 'S03L04');
        const total = content.census.find(({ lga_code }) => lga_code === 'S03L04')!;
        total.people += others.reduce((sum, { people }) => sum + people, 0);
      },
      /S03L04 Place 40: \d+ people, \d+ in the 11 others together/,
    ],
  ],
  'cases do not fit the people': [
    [
      (content) => {
        for (const row of recordOf(content, 'S03L04')) row.confirmed = Math.round(row.confirmed! / 30);
      },
      /S03L04 Place 40: \d+ cases a year per 1000 people/,
    ],
  ],
  'a month has many times the usual cases': [
    [
      (content) => {
        recordOf(content, 'S03L04').find(({ period }) => period === '2020-03')!.confirmed! *= 10;
      },
      /S03L04 Place 40: \d+0 cases in 2020-03, at most \d+ in the months around and a year apart/,
    ],
  ],
  'a month has 0 cases among hundreds': [
    [
      (content) => {
        for (const row of recordOf(content, 'S03L04'))
          if (row.period >= '2020-05' && row.period <= '2020-07') row.confirmed = 0;
      },
      /S03L04 Place 40: 0 from 2020-05 to 2020-07, at least \d{3,} in the months around and a year apart\. /,
    ],
  ],
  'cases of most neighbouring areas fall below a third of the usual for months, and come back': [
    [
      (content) => {
        for (const row of content.cases)
          if (/^S03L0[1-8]$/.test(row.lga_code ?? '') && row.period >= '2020-05' && row.period <= '2020-07')
            row.confirmed = Math.round(0.15 * row.confirmed!);
      },
      /: S03 from 2020-05 to 2020-07, in 8 of \d+ areas\. /,
    ],
  ],
  'a month has no rain amid the rains': [
    [
      (content) => {
        for (const row of content.climate)
          if (row.lga_code === 'S03L04' && ['2020-07', '2020-08'].includes(row.period)) row.rain_mm = 0;
      },
      /: S03L04 Place 40: 0 from 2020-07 to 2020-08, at least \d+(\.\d+)? in the months around and a year apart\. /,
    ],
  ],
  'a year has more than 2.2 times the usual cases': [
    [
      (content) => {
        // Another area of the state has no figure that year.
        for (const row of recordOf(content, 'S03L05')) if (row.period.startsWith('2020')) row.confirmed = null;
        for (const row of recordOf(content, 'S03L04'))
          if (row.period.startsWith('2020')) row.confirmed = Math.round(2.6 * row.confirmed!);
      },
      /S03L04 Place 40: 2020 has 2\.\d times the cases of its other years\. /,
    ],
    [
      (content) => {
        for (const row of recordOf(content, 'S03L04'))
          if (row.period.startsWith('2020')) row.confirmed = Math.round(2.6 * row.confirmed!);
      },
      /S03L04 Place 40: 2020 has 2\.\d times the cases of its other years/,
    ],
  ],
  'no month reaches the next power of ten': [
    [
      (content) => {
        for (const row of content.cases) if (row.lga_code) row.confirmed = (5 * row.confirmed!) % 10_000;
      },
      /^no month reaches the next power of ten: \d+ months of areas have 9000 to 9999, and none 10000 or more\. /,
    ],
  ],
  'cases change everywhere at once': [
    [
      (content) => {
        for (const row of content.cases) if (row.period >= '2020-07') row.confirmed = Math.round(0.45 * row.confirmed!);
      },
      /^cases change everywhere at once: from 2020-07 on, 0\.\d\d times the cases of a year before, in the middle area\. /,
    ],
  ],
  'cases are added up from month to month': [
    ...[1, 7].map((start): [change: (content: Writable) => void, names: RegExp] => [
      (content) => addUp(recordOf(content, 'S03L04'), start),
      new RegExp(`: S03L04 Place 40: cases never fall within a year and fall at its turn, in month 0${start}\\. `),
    ]),
    [
      (content) => addUp(recordOf(content, 'S03L04'), 0),
      /: S03L04 Place 40: cases never fall from one month to the next\. /,
    ],
    [
      (content) => {
        for (const code of ['S03L02', 'S03L03', 'S03L04'])
          addUp(
            recordOf(content, code).filter(({ period }) => period.startsWith('2021')),
            1,
          );
      },
      /: 2021: cases never fall in S03L02 Place \d+, S03L03 Place \d+, S03L04 Place 40\. /,
    ],
  ],
  'the last months are incomplete': [
    [
      (content) => keepOf(content.cases, '2022-12', 0.2),
      /: 2022-12: the last month has 0\.\d+ times the usual cases in all areas\. /,
    ],
    [
      (content) => {
        keepOf(content.cases, '2022-11', 0.7);
        keepOf(content.cases, '2022-12', 0.22);
      },
      /: 2022-11 to 2022-12: the last month has 0\.\d+ times the usual cases in all areas\. /,
    ],
    [
      (content) => keepOf(content.cases.filter(isIn(3)), '2022-12', 0.2),
      /: 2022-12: the last month has 0\.\d+ times the usual cases in S03\. /,
    ],
  ],
  'case records are of another time than the other files': [
    [
      (content) => {
        for (const row of content.cases) row.period = addMonths(row.period, 12 * 56 + 8);
      },
      /cases from 2074-09 to 2079-08, rain and surveys until 2022-12/,
    ],
    [
      (content) => {
        for (const row of content.cases) row.period = addMonths(row.period, -92);
      },
      /cases from 2010-05 to 2015-04, rain and surveys until 2022-12/,
    ],
  ],
  'cases do not follow the rain': [
    [
      (content) => {
        for (let lga = 0; lga < LGAS; lga++) rotate(recordOf(content, lgaOf(3, lga)), 'confirmed', -7);
      },
      /S03 State 3: cases fit the rain of \d months before/,
    ],
  ],
  'areas have the same number of people': [
    [
      (content) => {
        for (const row of content.census.filter(isIn(3)).slice(0, 4)) row.people = 98_765;
      },
      /98765 people in 4 areas, such as S03L00 Place 36/,
    ],
  ],
  'people are far off beside the neighbours': [
    [
      (content) => {
        content.census.find(({ lga_code }) => lga_code === 'S03L04')!.people *= 12;
      },
      /S03L04 Place 40: 1\d times what the raster and its neighbours suggest/,
    ],
  ],
  'an area has the people of a neighbour without any': [
    [
      (content) => {
        for (const [part, share] of [
          ['S03L04', 0.35],
          ['S08L07', 0.6],
        ] as const)
          divide(content, part, share);
      },
      /: S03L05 Place 41, with those of S03L04 Place 40; S08L08 Place 104, with those of S08L07 Place 103\. /,
    ],
  ],
  'people of the table and of the raster differ everywhere': [
    [
      (content) => {
        for (const row of content.census) row.people = Math.round(0.7 * row.people);
      },
      /: the table has 0\.\d\d times as many in the middle area\. /,
    ],
    [
      (content) => {
        const people = [...content.people.values()].reverse();
        content.people = new Map([...content.people.keys()].map((code, i) => [code, people[i]!]));
      },
      /: areas with many people in one have few in the other \(correlation -?0\.\d\d\); a raster may be upside down\. /,
    ],
  ],
  'two areas look exchanged': [
    [
      (content) => {
        const exchanged: Record<string, string> = { S03L01: 'S03L10', S03L10: 'S03L01' };
        for (const row of content.climate) row.lga_code = exchanged[row.lga_code] ?? row.lga_code;
      },
      /S03L01 Place 37 and S03L10 Place 46/,
    ],
  ],
  'one figure fills all areas': [
    [
      (content) => {
        for (const row of content.layers) row.travel_minutes_to_care = 31;
      },
      /31 in all 144 areas/,
    ],
    [
      (content) => {
        for (const row of content.layers.filter(isIn(3))) row.travel_minutes_to_care = 31.002;
      },
      /31 in all 12 areas of S03 State 3/,
    ],
  ],
  'a figure is 0 in few areas and far from 0 in all others': [
    [
      (content) => {
        content.layers.find(({ lga_code }) => lga_code === 'S03L04')!.itn_access = 0;
      },
      /S03L04 Place 40, with at least 0\.30 in 143 others\. /,
    ],
  ],
  'figures of some areas are in another unit': [
    [
      (content) => {
        for (const row of content.layers.filter(isIn(3))) row.itn_use = row.itn_use! / 100;
      },
      /S03L00 Place 36 0\.0034, beside \S+ Place \d+ 0\.24; .* and 9 more\. Perhaps shares stand among percentages/,
    ],
  ],
  'net use does not fit net access': [
    [
      (content) => {
        for (const row of content.layers.filter(isIn(3))) row.itn_use = row.itn_access;
      },
      /State 3: net use is the figure of access/,
    ],
    [
      (content) => {
        for (const row of content.layers) [row.itn_use, row.itn_access] = [row.itn_access, row.itn_use];
      },
      /net use is above access in 12 of 12 larger areas/,
    ],
    [
      (content) => {
        for (const row of content.layers.filter(isIn(0))) row.itn_use = 2.5 * row.itn_access!;
      },
      /State 0: net use 0.75 with access 0.30/,
    ],
    [
      (content) => {
        for (const row of content.layers) row.itn_use = 0.9 * (1 - row.itn_access!);
      },
      /hardly correlated \(-1.00\)/,
    ],
  ],
};

/** Makes an area, by raster, a part of the next one, with a share of its people and no row of its own. */
function divide(content: Writable, part: string, share: number): void {
  const whole = `${part.slice(0, -1)}${Number(part.at(-1)) + 1}`;
  const people = content.people.get(whole)!;
  content.people = new Map([...content.people, [part, share * people], [whole, (1 - share) * people]]);
  content.census = content.census.filter(({ lga_code }) => lga_code !== part);
}

test('areas without people in the table are no parts of a neighbour whose people agree with the raster', () => {
  const content = country();
  content.census = content.census.filter((_, i) => i % 7 !== 0);
  expect(listDoubts(content)).toEqual([]);
  divide(content, 'S08L07', 0.6);
  expect(listDoubts(content).map(({ what }) => what)).toEqual([
    expect.stringMatching(/^an area has the people of a n/),
  ]);
});

test('a country without faults raises no doubt', () => {
  expect(listDoubts(country()).map(({ what }) => what)).toEqual([]);
});

test('a country without optional files raises no doubt', () => {
  const { areas, neighbours } = country();
  const none = { climate: [], gridded: false, surveys: [], cases: [], census: [], layers: [], people: new Map() };
  expect(listDoubts({ areas, neighbours, ...none })).toEqual([]);
});

test('raw-data/README.md lists the checks', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../../../raw-data/README.md'), 'utf8');
  for (const { finding, cause } of CHECKS) expect(page).toContain(`| ${finding} | ${cause} |`);
});

test('every check has a fault that it finds', () => {
  expect(Object.keys(FAULTS)).toEqual(CHECKS.map(({ finding }) => finding));
});

for (const [finding, faults] of Object.entries(FAULTS))
  test.each(faults)(`${finding} (%#)`, (change, names) => {
    const content = country();
    change(content);
    const line = listDoubts(content).find(({ what }) => String(what).startsWith(`${finding}: `));
    expect(line?.what).toMatch(names);
    expect(line).toMatchObject({ rule: 'hard to believe', needs_approval: true });
  });

test('rain from a grid is not a copy where small areas share a cell', () => {
  const content = country();
  const [own, other] = [rainOf(content, 'S03L04'), rainOf(content, 'S03L05')];
  for (const [i, row] of own.entries()) row.rain_mm = other[i]!.rain_mm;
  expect(listDoubts(content)).toHaveLength(1);
  expect(listDoubts({ ...content, gridded: true })).toEqual([]);
});

test('a design with the same number in every cluster is not a multiple', () => {
  const content = country();
  for (const row of content.surveys) row.examined = 20;
  expect(listDoubts(content)).toEqual([]);
});

test('a country in which most areas have no record reports some of them on purpose', () => {
  const content = country();
  content.cases = content.cases.filter(({ lga_code }) => lga_code! < 'S03');
  expect(listDoubts(content)).toEqual([]);
});

test('months that the catalog masks are not compared', () => {
  const content = country();
  for (const row of recordOf(content, 'S03L04'))
    if (row.period >= monthFromIndex(24_240)) Object.assign(row, { confirmed: 7 * row.confirmed!, masked: true });
  expect(listDoubts(content)).toEqual([]);
});

test('no cases for a time where there are few around, and areas of which many begin late, are no doubt', () => {
  const content = country();
  for (const [i, row] of recordOf(content, 'S03L04').entries()) row.confirmed = Math.max(0, 40 - 10 * (i % 12));
  content.cases = content.cases.filter(({ lga_code, period }) => lga_code! > 'S04' || period >= '2019');
  const findings = listDoubts(content).map(({ what }) => String(what));
  expect(findings.filter((what) => /^(a month has 0|areas have records)/.test(what))).toEqual([]);
});

test('an area with as many cases as all others is no total among them if it has as many people', () => {
  const content = country();
  const isLarge = ({ lga_code }: { lga_code: string | null }) => lga_code === 'S03L04';
  for (const row of content.cases.filter(isLarge)) row.confirmed = 40 * row.confirmed!;
  content.census.find(isLarge)!.people *= 40;
  content.people = new Map(
    [...content.people].map(([code, people]) => [code, code === 'S03L04' ? 40 * people : people]),
  );
  expect(listDoubts(content).filter(({ source }) => source === 'cases')).toEqual([]);
});

test('a figure by state is no doubt, even if a single state has many areas', () => {
  const content = country();
  const countIn = new Map<string, number>();
  content.layers = content.layers.filter(({ lga_code }) => {
    const state = lga_code.slice(0, 3);
    countIn.set(state, 1 + (countIn.get(state) ?? 0));
    return state === 'S03' || countIn.get(state)! <= 3;
  });
  for (const row of content.layers) row.travel_minutes_to_care = 10 + Number(row.lga_code.slice(1, 3));
  expect(listDoubts(content).filter(({ source }) => source === 'travel_minutes_to_care')).toEqual([]);
});
