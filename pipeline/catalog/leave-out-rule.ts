/** Rows that a source leaves out. */
import type { Static } from 'typebox';
import { closedObject, Type } from '../contract/type.ts';
import { text } from './shared-schemas.ts';

/** Rows to leave out: those with these values in all of the columns. */
export const LeaveOutRule = closedObject({
  where: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()]), {
    minProperties: 1,
    description: "The project's column -> the row's value there; null for a blank cell",
  }),
  reason: text,
});
export type LeaveOutRule = Static<typeof LeaveOutRule>;

/** The rows in words: `longitude 0 and latitude 0`, `a blank weight`. */
export const describeLeaveOutRule = ({ where }: Pick<LeaveOutRule, 'where'>): string =>
  Object.entries(where)
    .map(([column, value]) => (value === null ? `a blank ${column}` : `${column} ${value}`))
    .join(' and ');
