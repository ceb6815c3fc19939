import { monthIndex } from '../contract/months.ts';
import { InputLocation } from '../lib/bad-input.ts';
import type { Model } from './model.ts';
import { METHODS, type Method, UNKNOWN_COUNTRY } from './shared-schemas.ts';
import type { Source } from './sources.ts';

const modelError = (field: string, found: string, expected: string) =>
  new InputLocation('model.json', field).error(found, expected);

/** Maximum number of months that may be estimated: a century. */
const MAX_ESTIMATED_MONTHS = 1200;

/** Checks what the schema of `model.json` cannot express. @throws BadInput naming the field */
export function checkModel(model: Model): void {
  for (const field of ['state_pcode', 'state_code', 'state'] as const) {
    const values = model.states.map((state) => state[field]);
    const duplicate = values.find((value, i) => values.indexOf(value) !== i);
    if (duplicate) throw modelError(`states, ${field}`, `${duplicate} twice`, 'each once');
  }
  for (const { state, state_code, aliases = [] } of model.states)
    for (const alias of aliases) {
      const otherStates = model.states.filter((other) => other.state_code !== state_code);
      const stateWithAlias = otherStates.find((other) =>
        [other.state, other.state_code, ...(other.aliases ?? [])].includes(alias),
      );
      if (stateWithAlias)
        throw modelError(`states, ${state}, aliases`, alias, `a name that ${stateWithAlias.state} does not have`);
    }
  if (model.states.length !== model.expected.states)
    throw modelError('states', `${model.states.length} entries`, `${model.expected.states} as in expected.states`);
  checkTerritory(model);
  const months = monthIndex(model.last_estimated) - monthIndex(model.first_estimated) + 1;
  if (months < 1)
    throw modelError('first_estimated', model.first_estimated, `a month up to last_estimated ${model.last_estimated}`);
  if (months > MAX_ESTIMATED_MONTHS)
    throw modelError('first_estimated', `${months} estimated months`, `at most ${MAX_ESTIMATED_MONTHS}`);
  if (Number.isNaN(Date.parse(model.updated_at)) || new Date(model.updated_at).toISOString() !== model.updated_at)
    throw modelError(
      'updated_at',
      model.updated_at,
      'a valid time in UTC with milliseconds, such as 2026-11-21T00:00:00.000Z',
    );
  const [west, south, east, north] = model.extent as [number, number, number, number];
  if (!(west >= -180 && west < east && east <= 180 && south >= -90 && south < north && north <= 90))
    throw modelError('extent', model.extent.join(', '), 'west, south, east, north in degrees');
  if (model.synthetic !== (model.country === 'synthetic'))
    throw modelError('country', model.country, 'the country `synthetic` if and only if synthetic is true');
  const { season, transmission, survey, risk } = model.parameters;
  if (Array.isArray(survey.method) && !risk.test_offset)
    throw modelError(
      'parameters.risk',
      'no test_offset',
      `a prior for how other methods differ from ${survey.method[0]}, as parameters.survey.method names several`,
    );
  if (!Array.isArray(survey.method) && namesOtherMethod(model.territory.method, survey.method))
    throw modelError(
      'territory.method',
      model.territory.method,
      `words for ${survey.method}, which parameters.survey.method names`,
    );
  for (const [name, value] of Object.entries(risk.start ?? {}))
    if (name.startsWith('rho_') && value >= 1)
      throw modelError(`parameters.risk.start.${name}`, String(value), 'a correlation below 1');
  const masked = season.masked.find(({ first, last }) => first > last);
  if (masked)
    throw modelError('parameters.season.masked', `${masked.first} to ${masked.last}`, 'the first month first');
  if (transmission.development_first >= transmission.held_back_year)
    throw modelError(
      'parameters.transmission.development_first',
      String(transmission.development_first),
      `a year before held_back_year ${transmission.held_back_year}`,
    );
}

const METHOD_PATTERNS: Record<Method, RegExp> = { microscopy: /microscop/i, rdt: /rapid|\brdt/i };

/** Whether words for a method name another one. */
const namesOtherMethod = (words: string, method: Method) =>
  METHODS.some((other) => other !== method && METHOD_PATTERNS[other].test(words));

/** Checks what model.json must specify if the catalog has no monthly rain. @throws BadInput naming the field */
export function checkModelWithoutRain(model: Model, sources: readonly Source[]): void {
  if (sources.some(({ role }) => role === 'climate')) return;
  const { risk } = model.parameters;
  const reason = 'as the catalog has no source of the role climate';
  if (!risk.season_unknown) throw modelError('parameters.risk', 'no season_unknown', `its prior, ${reason}`);
  if (risk.score !== 'spatial') throw modelError('parameters.risk.score', risk.score, `spatial, ${reason}`);
  if (!model.first_estimated.endsWith('-01'))
    throw modelError('first_estimated', model.first_estimated, `a January, ${reason}: only whole years are estimated`);
}

/** Checks that the states' codes and zones are as `territory` declares them. */
function checkTerritory({ territory, states }: Model): void {
  const { iso_code, state, lga, zones, ages_months } = territory;
  if (iso_code === UNKNOWN_COUNTRY)
    throw modelError(
      'territory.iso_code',
      `${iso_code}, as drafted`,
      'the two-letter ISO 3166-1 code of the country, which its files do not tell',
    );
  const stateCodePattern = new RegExp(state.code);
  for (const [level, { code, example }] of Object.entries({ state, lga }) as ['state' | 'lga', typeof state][])
    if (!new RegExp(code).test(example))
      throw modelError(`territory.${level}.example`, example, `a code of the form ${code}`);
  if (!(ages_months[0]! < ages_months[1]!))
    throw modelError('territory.ages_months', ages_months.join(' to '), 'the youngest first');
  const codesSeen = new Set<string>();
  for (const { state_code, zone } of states) {
    if (!stateCodePattern.test(state_code))
      throw modelError(`states, ${state_code}`, state_code, `${state.code} (territory.state.code)`);
    // Codes are file names, and some file systems ignore case.
    if (codesSeen.has(state_code.toLowerCase()))
      throw modelError('states, state_code', state_code, 'codes that differ in more than case');
    codesSeen.add(state_code.toLowerCase());
    if (zones ? zone === undefined || !Object.hasOwn(zones.names, zone) : zone !== undefined)
      throw modelError(
        `states, ${state_code}, zone`,
        zone ?? 'nothing',
        zones ? Object.keys(zones.names).join(', ') : 'nothing, as territory has no zones',
      );
  }
}
