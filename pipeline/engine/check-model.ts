import { BadInput } from '../bad-input.ts';
import type { Model } from '../catalog/model.ts';
import { monthIndex } from '../contract/months.ts';

/** Estimated months that are asked for at most: a century. */
const MOST_MONTHS = 1200;

/** Checks what the schema of `model.json` cannot express. @throws BadInput naming the field */
export function checkModel(model: Model): void {
  const complain = (where: string, found: string, expected: string) =>
    new BadInput('model.json', where, found, expected);
  for (const key of ['state_pcode', 'state_code', 'state'] as const) {
    const values = model.states.map((state) => state[key]);
    const again = values.find((value, i) => values.indexOf(value) !== i);
    if (again) throw complain(`states, ${key}`, `${again} twice`, 'each once');
  }
  if (model.states.length !== model.expected.states)
    throw complain('states', `${model.states.length} states`, `${model.expected.states} as in expected.states`);
  const months = monthIndex(model.last_estimated) - monthIndex(model.first_estimated) + 1;
  if (months < 1)
    throw complain('first_estimated', model.first_estimated, `a month up to last_estimated ${model.last_estimated}`);
  if (months > MOST_MONTHS) throw complain('first_estimated', `${months} estimated months`, `at most ${MOST_MONTHS}`);
  if (Number.isNaN(Date.parse(model.updated_at)) || new Date(model.updated_at).toISOString() !== model.updated_at)
    throw complain(
      'updated_at',
      model.updated_at,
      'a valid time in UTC with milliseconds, such as 2026-11-21T00:00:00.000Z',
    );
  const [west, south, east, north] = model.extent as [number, number, number, number];
  if (!(west >= -180 && west < east && east <= 180 && south >= -90 && south < north && north <= 90))
    throw complain('extent', model.extent.join(', '), 'west, south, east, north in degrees');
  if (model.synthetic !== (model.country === 'synthetic'))
    throw complain('country', model.country, 'the country `synthetic` where, and only where, synthetic is true');
  const { season, transmission } = model.parameters;
  const masked = season.masked.find(({ first, last }) => first > last);
  if (masked) throw complain('parameters.season.masked', `${masked.first} to ${masked.last}`, 'the first month first');
  if (transmission.development_first >= transmission.held_back_year)
    throw complain(
      'parameters.transmission.development_first',
      String(transmission.development_first),
      `a year before held_back_year ${transmission.held_back_year}`,
    );
}
