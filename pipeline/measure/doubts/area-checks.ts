/** Figures of areas that are possible one by one and impossible beside each other. */
import type { Figure } from '../../catalog/figures.ts';
import { correlation, mean, median } from '../../lib/numerics/averages.ts';
import {
  areaNames,
  type Content,
  findTotals,
  gainOneRowOff,
  mapLgasToStates,
  usualDeparture,
  weatherSeries,
} from './content.ts';

/** More areas than this share, or some with less than this part of the middle figure, make 0 a figure like others. */
const MOST_ZERO_SHARE = 0.25;
const LOW_SHARE = 0.25;
/** Shares of the same figure that were multiplied and divided again are equal up to this part of it. */
const EQUALITY_TOLERANCE = 1e-3;
/** A figure that more states than this share have only as a whole is one by state. */
const MOST_EVEN_STATES = 0.25;
/** Two areas may have the same number of people by chance; a table filled down gives it to many. */
const LEAST_SHARING_AREAS = 3;
/** Multiples of the usual disagreement of table and raster, and the least factor that matters. */
const DEVIATIONS = 6;
const LEAST_FACTOR = 2;
/** People of one country by two sources agree to a quarter. */
const AGREEMENT_FACTOR = 1.25;
/**
 * An area that has the people of two departs by more multiples of the usual departure, and both together by less than
 * one. Nigeria's table and raster differ too much to show a half, and if one row is missing, 12 of 773 areas seem to be
 * divided; in made-up countries none does, and half of the halves are found.
 */
const MOST_DEVIATIONS = 3;
/** With fewer areas in a state, chance decides what fits. */
const LEAST_AREAS = 8;
/** People by two sources of the same areas go together better than this, in correlation of their logarithms. */
const LEAST_LIKENESS = 0.4;
/** Figures of one unit lie closer to each other than this factor. */
const UNIT_GAP = 10;
/** People by table and by raster fit this much better in correlation one row off. */
const ROW_OFF_GAIN = 0.75;
/** After an exchange back, two areas must fit their neighbours this many times as well, and did not fit before. */
const EXCHANGE_GAIN = 10;
const LEAST_MISFIT = 5;
/**
 * Use cannot exceed access, but the two figures come from different surveys or models, each with a standard error of up
 * to a quarter in a state.
 */
const MOST_USE_RATIO = 2;
/** With fewer states the correlation is not informative. */
const LEAST_STATES = 10;
const LEAST_CORRELATION = 0.3;
/** As many figures of an area's use equal to its state's access are a copy. */
const LEAST_COPIED_FIGURES = 3;

/** A number of people that several areas share. */
export function sharedPopulations({ areas, census }: Content): string[] {
  const names = areaNames(areas);
  return [...Map.groupBy(census, ({ people }) => people)].flatMap(([people, rows]) =>
    rows.length < LEAST_SHARING_AREAS
      ? []
      : [`${people} people in ${rows.length} areas, such as ${names.get(rows[0]!.lga_code)}`],
  );
}

/**
 * Areas whose people by table are, by raster, those of the area and of a neighbour without a row: it was divided, and
 * the table is from before.
 */
const findDivided = (content: Content) => {
  const { areas, neighbours, census, people } = content;
  const peopleByTable = new Map(census.map((row) => [row.lga_code, row.people]));
  const ratios = logCensusRatios(content);
  if (ratios.length === 0) return [];
  const usualRatio = median(ratios.map(([, ratio]) => ratio));
  const departures = new Map(ratios.map(([code, ratio]) => [code, ratio - usualRatio]));
  const usual = usualDeparture([...departures.values()]);
  const limit = (deviations: number) => Math.max(Math.log(AGREEMENT_FACTOR), deviations * usual);
  return areas.lgas.flatMap(({ lga_code: part }) => {
    const peopleOfPart = people.get(part) ?? 0;
    if (peopleByTable.has(part) || peopleOfPart === 0) return [];
    return (neighbours[part] ?? []).flatMap((code) => {
      if ((departures.get(code) ?? 0) <= limit(MOST_DEVIATIONS)) return [];
      const together = Math.log(peopleByTable.get(code)! / (people.get(code)! + peopleOfPart)) - usualRatio;
      return Math.abs(together) < limit(1) ? [{ code, part }] : [];
    });
  });
};

/** Areas with the people of a neighbour that has none. */
export function dividedPopulations(content: Content): string[] {
  const names = areaNames(content.areas);
  return findDivided(content).map(({ code, part }) => `${names.get(code)}, with those of ${names.get(part)}`);
}

/** Areas whose people by table, beside the raster, are far from what their neighbours lead to expect. */
export function outlyingPopulations(content: Content): string[] {
  const { areas, neighbours } = content;
  const names = areaNames(areas);
  const ratios = new Map(logCensusRatios(content));
  const divided = new Set(findDivided(content).map(({ code }) => code));
  const departures = [...ratios].flatMap(([code, ratio]) => {
    const neighbourRatios = (neighbours[code] ?? []).flatMap((neighbour) => ratios.get(neighbour) ?? []);
    return neighbourRatios.length < 2 ? [] : [{ code, departure: ratio - median(neighbourRatios) }];
  });
  const usual = usualDeparture(departures.map(({ departure }) => departure));
  const mostDeparture = Math.max(Math.log(LEAST_FACTOR), DEVIATIONS * usual);
  return departures
    .filter(({ code, departure }) => Math.abs(departure) > mostDeparture && !divided.has(code))
    .map(
      ({ code, departure }) =>
        `${names.get(code)}: ${Math.exp(departure).toPrecision(2)} times what the raster and its neighbours suggest`,
    );
}

/** Areas with as many people by table as all others of their state together, and by raster with fewer. */
export function findPopulationTotals({ areas, census, people }: Content): string[] {
  const names = areaNames(areas);
  const stateByLga = mapLgasToStates(areas);
  return [...Map.groupBy(census, ({ lga_code }) => stateByLga.get(lga_code)).values()].flatMap((rows) => {
    const countTotals = (countPeople: (row: (typeof rows)[number]) => number) =>
      findTotals(rows.map((row) => ({ name: names.get(row.lga_code)!, amount: countPeople(row) })));
    const rasterTotals = new Set(countTotals(({ lga_code }) => people.get(lga_code) ?? 0).map(({ name }) => name));
    return countTotals((row) => row.people)
      .filter(({ name }) => !rasterTotals.has(name))
      .map(({ name, amount, rest }) => `${name}: ${amount} people, ${rest} in the ${rows.length - 1} others together`);
  });
}

/** Logarithms of people by table over people by raster, by LGA code. */
const logCensusRatios = ({ census, people }: Content) =>
  census.flatMap(({ lga_code, people: tablePeople }) => {
    const rasterPeople = people.get(lga_code) ?? 0;
    return rasterPeople > 0 ? [[lga_code, Math.log(tablePeople / rasterPeople)] as const] : [];
  });

/**
 * The middle ratio of the table's people to the raster's, if they are of other years or not both the people; or that
 * they are not of the same areas.
 */
export function mismatchedPopulations(content: Content): string[] {
  const ratiosByCode = logCensusRatios(content);
  const ratios = ratiosByCode.map(([, ratio]) => ratio);
  if (ratios.length === 0) return [];
  if (Math.abs(median(ratios)) > Math.log(AGREEMENT_FACTOR))
    return [`the table has ${Math.exp(median(ratios)).toFixed(2)} times as many in the middle area`];
  if (ratios.length < LEAST_AREAS || usualDeparture(ratios) <= Math.log(AGREEMENT_FACTOR)) return [];
  const rasterLogs = ratiosByCode.map(([code]) => Math.log(content.people.get(code)!));
  const tableLogs = rasterLogs.map((log, i) => log + ratios[i]!);
  const likeness = correlation(rasterLogs, tableLogs);
  return likeness < LEAST_LIKENESS
    ? [
        `areas with many people in one have few in the other (correlation ${likeness.toFixed(2)}); a raster may be upside down`,
      ]
    : [];
}

/** States whose people by table fit the raster far better if the column is moved by one row. */
export function populationsRowOff({ areas, census, people }: Content): string[] {
  const peopleByLga = new Map(census.map((row) => [row.lga_code, row.people]));
  return areas.states.flatMap(({ state_code, state }) => {
    const codes = areas.lgas
      .filter((lga) => lga.state_code === state_code && peopleByLga.has(lga.lga_code) && people.get(lga.lga_code))
      .map(({ lga_code }) => lga_code);
    if (codes.length < LEAST_AREAS) return [];
    const gain = gainOneRowOff(
      codes.map((code) => Math.log(peopleByLga.get(code)!)),
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
  const levelsByField = [
    meanLevels(weatherSeries(content, 'rain_mm'), (value) => Math.log1p(Math.max(0, value))),
    meanLevels(weatherSeries(content, 'temperature_c'), (value) => value),
  ].filter((levels) => levels.size > 0);
  if (levelsByField.length === 0) return [];
  const departuresByField = levelsByField.map((levels) => {
    const departureFrom = (code: string, swap?: readonly [string, string]) => {
      const levelIfSwapped = (area: string) =>
        levels.get(area === swap?.[0] ? swap[1] : area === swap?.[1] ? swap[0] : area);
      const neighbourLevels = (neighbours[code] ?? []).flatMap((area) => levelIfSwapped(area) ?? []);
      return neighbourLevels.length === 0 ? 0 : (levelIfSwapped(code) ?? 0) - median(neighbourLevels);
    };
    const usual = usualDeparture([...levels.keys()].map((code) => departureFrom(code)));
    return (code: string, swap?: readonly [string, string]) => (usual > 0 ? departureFrom(code, swap) / usual : 0);
  });
  const misfit = (code: string, swap?: readonly [string, string]) =>
    departuresByField.reduce((sum, normalizedDeparture) => sum + normalizedDeparture(code, swap) ** 2, 0);
  const misfits = areas.lgas.filter(({ lga_code }) => misfit(lga_code) > LEAST_MISFIT ** 2);
  return misfits.flatMap((first, i) =>
    misfits.slice(i + 1).flatMap((second) => {
      const swap = [first.lga_code, second.lga_code] as const;
      if (first.state_code !== second.state_code) return [];
      const misfitBefore = misfit(swap[0]) + misfit(swap[1]);
      const misfitAfter = misfit(swap[0], swap) + misfit(swap[1], swap);
      return misfitBefore > EXCHANGE_GAIN * misfitAfter ? [`${names.get(swap[0])} and ${names.get(swap[1])}`] : [];
    }),
  );
}

const meanLevels = (series: ReturnType<typeof weatherSeries>, scale: (value: number) => number): Map<string, number> =>
  new Map(series.map(({ code, values }) => [code, scale(mean(values as number[]))]));

/** A figure other than 0 that is the same in all areas, or in those of a state where most states have several. */
export const sharedFigure =
  (figure: Figure) =>
  ({ areas, layers }: Content): string[] => {
    const stateByLga = mapLgasToStates(areas);
    const names = areaNames(areas);
    const rows = layers.flatMap(({ lga_code, [figure]: value }) => (value == null ? [] : [{ lga_code, value }]));
    const isEven = (group: typeof rows) => {
      const values = group.map(({ value }) => value);
      const largest = Math.max(...values);
      return largest !== 0 && largest - Math.min(...values) <= EQUALITY_TOLERANCE * Math.abs(largest);
    };
    const isShared = (group: typeof rows) => group.length >= LEAST_AREAS && isEven(group);
    const describeGroup = (group: typeof rows, where: string) =>
      `${group[0]!.value.toPrecision(2)} in all ${group.length} areas${where}`;
    if (isShared(rows)) return [describeGroup(rows, '')];
    const states = [...Map.groupBy(rows, ({ lga_code }) => stateByLga.get(lga_code)!)];
    const statesWithSeveral = states.filter(([, group]) => group.length > 1);
    // Where most states have one figure, whatever their size, it is given by state.
    return statesWithSeveral.filter(([, group]) => isEven(group)).length > MOST_EVEN_STATES * statesWithSeveral.length
      ? []
      : states.flatMap(([state, group]) => (isShared(group) ? describeGroup(group, ` of ${names.get(state)}`) : []));
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
      zeros.length <= MOST_ZERO_SHARE * layers.length &&
      least > LOW_SHARE * median(positive)
      ? zeros.map(
          ({ lga_code }) =>
            `${names.get(lga_code)}, with at least ${least.toPrecision(2)} in ${positive.length} others`,
        )
      : [];
  };

/** Areas whose figures are about a hundredth of all others', with none between: shares among percentages. */
export const mixedUnits =
  (figure: Figure) =>
  ({ areas, layers }: Content): string[] => {
    const names = areaNames(areas);
    const rows = layers
      .flatMap(({ lga_code, [figure]: value }) => (value ? [{ lga_code, value }] : []))
      .sort((a, b) => a.value - b.value);
    const high = rows.findIndex(({ value }, i) => i > 0 && value > UNIT_GAP * rows[i - 1]!.value);
    if (rows.length < LEAST_AREAS || high === -1) return [];
    const ratio =
      median(rows.slice(high).map(({ value }) => value)) / median(rows.slice(0, high).map(({ value }) => value));
    const isHundredfold = Math.abs(Math.log(ratio / 100)) < Math.log(LEAST_FACTOR);
    const [few, others] =
      2 * high <= rows.length ? [rows.slice(0, high), rows.slice(high)] : [rows.slice(high), rows.slice(0, high)];
    const describe = ({ lga_code, value }: (typeof rows)[number]) => `${names.get(lga_code)} ${value.toPrecision(2)}`;
    return isHundredfold ? few.map((row) => `${describe(row)}, beside ${describe(others[0]!)}`) : [];
  };

/** Net use that cannot be, beside access: a copy of it, far above it, or unrelated to it. */
export function implausibleNetUse({ areas, layers }: Content): string[] {
  const figures = new Map(layers.map((row) => [row.lga_code, row]));
  const states = areas.states.map(({ state_code, state }) => {
    const rows = areas.lgas.filter((lga) => lga.state_code === state_code).map(({ lga_code }) => figures.get(lga_code));
    const nets = rows.flatMap((row) =>
      row?.itn_use == null || row.itn_access == null ? [] : [{ use: row.itn_use, access: row.itn_access }],
    );
    return {
      state,
      nets,
      meanUse: mean(nets.map(({ use }) => use)),
      meanAccess: mean(nets.map(({ access }) => access)),
    };
  });
  const statesWithNets = states.filter(({ nets }) => nets.length > 0);
  const copied = statesWithNets.filter(
    ({ nets }) =>
      nets.filter(({ use, access }) => Math.abs(use - access) < 1e-6).length >=
      Math.min(LEAST_COPIED_FIGURES, nets.length),
  );
  const statesAbove = statesWithNets.filter(({ meanUse, meanAccess }) => meanUse > meanAccess);
  const correlationOfMeans = correlation(
    statesWithNets.map(({ meanUse }) => meanUse),
    statesWithNets.map(({ meanAccess }) => meanAccess),
  );
  const findings = [
    ...copied.map(({ state }) => `${state}: net use is the figure of access`),
    ...statesWithNets
      .filter(({ meanUse, meanAccess }) => meanUse > MOST_USE_RATIO * meanAccess)
      .map(
        ({ state, meanUse, meanAccess }) =>
          `${state}: net use ${meanUse.toFixed(2)} with access ${meanAccess.toFixed(2)}`,
      ),
  ];
  if (statesWithNets.length >= LEAST_STATES && statesAbove.length > statesWithNets.length / 2)
    findings.push(`net use is above access in ${statesAbove.length} of ${statesWithNets.length} larger areas`);
  if (statesWithNets.length >= LEAST_STATES && correlationOfMeans < LEAST_CORRELATION)
    findings.push(`net use and access are hardly correlated (${correlationOfMeans.toFixed(2)})`);
  return findings;
}
