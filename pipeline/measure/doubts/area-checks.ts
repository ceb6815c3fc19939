/** Figures of areas that are possible one by one and impossible beside each other. */
import type { Figure } from '../../catalog/figures.ts';
import { correlation, mean, median } from '../../lib/numerics/averages.ts';
import { areaNames, type Content, gainOneRowOff, stateOfLga, totalsIn, weatherSeries } from './content.ts';

/** More areas than this share, or some with less than this part of the middle figure, make 0 a figure like others. */
const MOST_ZEROS = 0.25;
const LOW = 0.25;
/** Shares of the same figure that were multiplied and divided again are equal up to this part of it. */
const ROUNDING = 1e-3;
/** A figure that more states than this share have only as a whole is one by state. */
const MOST_ALIKE = 0.25;
/** Two areas may have the same number of people by chance; a table filled down gives it to many. */
const SAME_PEOPLE = 3;
/** Multiples of the usual disagreement of table and raster, and the least factor that matters. */
const DEVIATIONS = 6;
const LEAST_FACTOR = 2;
/** People of one country by two sources agree to a quarter. */
const AGREEMENT = 1.25;
/** Standard deviations of a normal distribution in its median absolute deviation. */
const NORMAL_MAD = 1.4826;
/** With fewer areas in a state, chance decides what fits. */
const LEAST_AREAS = 8;
/** People by table and by raster fit this much better in correlation one row off. */
const ROW_OFF_GAIN = 0.75;
/** After an exchange back, two areas must fit their neighbours this many times as well, and did not fit before. */
const EXCHANGE_GAIN = 10;
const MISFIT = 5;
/**
 * Use cannot exceed access, but the two figures come from different surveys or models, each with a standard error of up
 * to a quarter in a state.
 */
const MOST_USE = 2;
/** With fewer states the correlation is not informative. */
const LEAST_STATES = 10;
const LEAST_CORRELATION = 0.3;
/** As many figures of an area's use equal to its state's access are a copy. */
const SAME_NETS = 3;

/** A number of people that several areas share. */
export function sharedPeople({ areas, census }: Content): string[] {
  const names = areaNames(areas);
  return [...Map.groupBy(census, ({ people }) => people)].flatMap(([people, rows]) =>
    rows.length < SAME_PEOPLE
      ? []
      : [`${people} people in ${rows.length} areas, such as ${names.get(rows[0]!.lga_code)}`],
  );
}

/** Areas whose people by table, beside the raster, are far from what their neighbours lead to expect. */
export function peopleApart(content: Content): string[] {
  const { areas, neighbours } = content;
  const names = areaNames(areas);
  const ratios = new Map(censusRatios(content));
  const apart = [...ratios].flatMap(([code, ratio]) => {
    const near = (neighbours[code] ?? []).flatMap((neighbour) => ratios.get(neighbour) ?? []);
    return near.length < 2 ? [] : [{ code, apart: ratio - median(near) }];
  });
  const usual = NORMAL_MAD * median(apart.map(({ apart }) => Math.abs(apart)));
  const most = Math.max(Math.log(LEAST_FACTOR), DEVIATIONS * usual);
  return apart
    .filter(({ apart }) => Math.abs(apart) > most)
    .map(
      ({ code, apart }) =>
        `${names.get(code)}: ${Math.exp(apart).toPrecision(2)} times what the raster and its neighbours suggest`,
    );
}

/** Areas with as many people by table as all others of their state together, and by raster with fewer. */
export function totalsOfPeople({ areas, census, people }: Content): string[] {
  const names = areaNames(areas);
  const stateByLga = stateOfLga(areas);
  return [...Map.groupBy(census, ({ lga_code }) => stateByLga.get(lga_code)).values()].flatMap((rows) => {
    const amounts = (countPeople: (row: (typeof rows)[number]) => number) =>
      totalsIn(rows.map((row) => ({ name: names.get(row.lga_code)!, amount: countPeople(row) })));
    const large = new Set(amounts(({ lga_code }) => people.get(lga_code) ?? 0).map(({ name }) => name));
    return amounts((row) => row.people)
      .filter(({ name }) => !large.has(name))
      .map(({ name, amount, rest }) => `${name}: ${amount} people, ${rest} in the ${rows.length - 1} others together`);
  });
}

/** Logarithms of people by table over people by raster, by LGA code. */
const censusRatios = ({ census, people }: Content) =>
  census.flatMap(({ lga_code, people: counted }) => {
    const mapped = people.get(lga_code) ?? 0;
    return mapped > 0 ? [[lga_code, Math.log(counted / mapped)] as const] : [];
  });

/** The middle ratio of the table's people to the raster's, if they are of other years or not both the people. */
export function peopleUnlike(content: Content): string[] {
  const ratios = censusRatios(content).map(([, ratio]) => ratio);
  if (ratios.length === 0 || Math.abs(median(ratios)) <= Math.log(AGREEMENT)) return [];
  return [`the table has ${Math.exp(median(ratios)).toFixed(2)} times as many in the middle area`];
}

/** States whose people by table fit the raster far better if the column is moved by one row. */
export function peopleRowOff({ areas, census, people }: Content): string[] {
  const counted = new Map(census.map((row) => [row.lga_code, row.people]));
  return areas.states.flatMap(({ state_code, state }) => {
    const codes = areas.lgas
      .filter((lga) => lga.state_code === state_code && counted.has(lga.lga_code) && people.get(lga.lga_code))
      .map(({ lga_code }) => lga_code);
    if (codes.length < LEAST_AREAS) return [];
    const gain = gainOneRowOff(
      codes.map((code) => Math.log(counted.get(code)!)),
      codes.map((code) => Math.log(people.get(code)!)),
    );
    return gain > ROW_OFF_GAIN ? [`${state_code} ${state}`] : [];
  });
}

/** Two areas of a state whose climate, from a table, fits far better if it is exchanged. */
export function exchangedAreas(content: Content): string[] {
  const { areas, neighbours, gridded } = content;
  if (gridded) return [];
  const names = areaNames(areas);
  const fields = [
    meanLevels(weatherSeries(content, 'rain_mm'), (value) => Math.log1p(Math.max(0, value))),
    meanLevels(weatherSeries(content, 'temperature_c'), (value) => value),
  ].filter((levels) => levels.size > 0);
  if (fields.length === 0) return [];
  const scaled = fields.map((levels) => {
    const departure = (code: string, swap?: readonly [string, string]) => {
      const levelIfSwapped = (area: string) =>
        levels.get(area === swap?.[0] ? swap[1] : area === swap?.[1] ? swap[0] : area);
      const around = (neighbours[code] ?? []).flatMap((area) => levelIfSwapped(area) ?? []);
      return around.length === 0 ? 0 : (levelIfSwapped(code) ?? 0) - median(around);
    };
    const usual = NORMAL_MAD * median([...levels.keys()].map((code) => Math.abs(departure(code))));
    return (code: string, swap?: readonly [string, string]) => (usual > 0 ? departure(code, swap) / usual : 0);
  });
  const misfit = (code: string, swap?: readonly [string, string]) =>
    scaled.reduce((sum, departure) => sum + departure(code, swap) ** 2, 0);
  const odd = areas.lgas.filter(({ lga_code }) => misfit(lga_code) > MISFIT ** 2);
  return odd.flatMap((a, i) =>
    odd.slice(i + 1).flatMap((b) => {
      const swap = [a.lga_code, b.lga_code] as const;
      if (a.state_code !== b.state_code) return [];
      const before = misfit(swap[0]) + misfit(swap[1]);
      const after = misfit(swap[0], swap) + misfit(swap[1], swap);
      return before > EXCHANGE_GAIN * after ? [`${names.get(swap[0])} and ${names.get(swap[1])}`] : [];
    }),
  );
}

const meanLevels = (series: ReturnType<typeof weatherSeries>, scale: (value: number) => number): Map<string, number> =>
  new Map(series.map(({ code, values }) => [code, scale(mean(values as number[]))]));

/** A figure other than 0 that is the same in all areas, or in those of a state where most states have several. */
export const sharedFigure =
  (figure: Figure) =>
  ({ areas, layers }: Content): string[] => {
    const stateByLga = stateOfLga(areas);
    const names = areaNames(areas);
    const rows = layers.flatMap(({ lga_code, [figure]: value }) => (value == null ? [] : [{ lga_code, value }]));
    const isEven = (group: typeof rows) => {
      const values = group.map(({ value }) => value);
      const most = Math.max(...values);
      return most !== 0 && most - Math.min(...values) <= ROUNDING * Math.abs(most);
    };
    const isShared = (group: typeof rows) => group.length >= LEAST_AREAS && isEven(group);
    const describe = (group: typeof rows, where: string) =>
      `${group[0]!.value.toPrecision(2)} in all ${group.length} areas${where}`;
    if (isShared(rows)) return [describe(rows, '')];
    const states = [...Map.groupBy(rows, ({ lga_code }) => stateByLga.get(lga_code)!)];
    const several = states.filter(([, group]) => group.length > 1);
    // Where most states have one figure, whatever their size, it is given by state.
    return several.filter(([, group]) => isEven(group)).length > MOST_ALIKE * several.length
      ? []
      : states.flatMap(([state, group]) => (isShared(group) ? describe(group, ` of ${names.get(state)}`) : []));
  };

/** Figures of 0 where no other area has a low one. */
export const isolatedZeros =
  (figure: Figure) =>
  ({ areas, layers }: Content): string[] => {
    const names = areaNames(areas);
    const zeros = layers.filter((row) => row[figure] === 0);
    const positive = layers.flatMap((row) => row[figure] || []);
    const least = Math.min(...positive);
    return positive.length >= LEAST_AREAS &&
      zeros.length <= MOST_ZEROS * layers.length &&
      least > LOW * median(positive)
      ? zeros.map(
          ({ lga_code }) =>
            `${names.get(lga_code)}, with at least ${least.toPrecision(2)} in ${positive.length} others`,
        )
      : [];
  };

/** Net use that cannot be, beside access: a copy of it, far above it, or unrelated to it. */
export function netsApart({ areas, layers }: Content): string[] {
  const figures = new Map(layers.map((row) => [row.lga_code, row]));
  const states = areas.states.map(({ state_code, state }) => {
    const rows = areas.lgas.filter((lga) => lga.state_code === state_code).map(({ lga_code }) => figures.get(lga_code));
    const nets = rows.flatMap((row) =>
      row?.itn_use == null || row.itn_access == null ? [] : [{ use: row.itn_use, access: row.itn_access }],
    );
    return { state, nets, used: mean(nets.map(({ use }) => use)), owned: mean(nets.map(({ access }) => access)) };
  });
  const compared = states.filter(({ nets }) => nets.length > 0);
  const copied = compared.filter(
    ({ nets }) =>
      nets.filter(({ use, access }) => Math.abs(use - access) < 1e-6).length >= Math.min(SAME_NETS, nets.length),
  );
  const above = compared.filter(({ used, owned }) => used > owned);
  const common = correlation(
    compared.map(({ used }) => used),
    compared.map(({ owned }) => owned),
  );
  const findings = [
    ...copied.map(({ state }) => `${state}: net use is the figure of access`),
    ...compared
      .filter(({ used, owned }) => used > MOST_USE * owned)
      .map(({ state, used, owned }) => `${state}: net use ${used.toFixed(2)} with access ${owned.toFixed(2)}`),
  ];
  if (compared.length >= LEAST_STATES && above.length > compared.length / 2)
    findings.push(`net use is above access in ${above.length} of ${compared.length} larger areas`);
  if (compared.length >= LEAST_STATES && common < LEAST_CORRELATION)
    findings.push(`net use and access are hardly correlated (${common.toFixed(2)})`);
  return findings;
}
