import { randomBytes } from 'node:crypto';

const DIGITS = 16;
/** Random names are made this many at a time: a piece of a text costs a tenth of what a text of its own does. */
const AT_ONCE = 512;
let names = '';
let used = 0;

/** A random name for one request, 16 hex digits: enough to find it by in a log. */
export function newRequestId(): string {
  if (used === names.length) {
    names = randomBytes((AT_ONCE * DIGITS) / 2).toString('hex');
    used = 0;
  }
  used += DIGITS;
  return names.slice(used - DIGITS, used);
}
