import { temporary } from './command-line.ts';
import { type TinyCountry, tinyCountry, writeCountry } from './tiny-files.ts';

export { LGAS, replaceLine, sourceIn, type TinyCountry, tinyCountry } from './tiny-files.ts';

/** Writes a tiny country, as changed by the test, into a directory of its own that goes with the test file. */
export function writeTiny(change: (country: TinyCountry) => void = () => {}): TinyCountry {
  const country = tinyCountry();
  change(country);
  writeCountry(country, temporary());
  return country;
}
