/** A version that may not be published as it is: a finding, not a fault of anything. */
export class Stopped extends Error {
  override name = 'Stopped';
}
