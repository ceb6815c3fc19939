import { monthName } from '../shared/names.ts';

/** Of a round: ` by` and its test; empty if it is the score's test. @param exceptions the tests of the other rounds */
export const makeTestSuffix = (exceptions: Record<number, string>) => (survey_year: number) => {
  const test = exceptions[survey_year];
  return test === undefined ? '' : ` by ${test}`;
};
/** `J`, `F` … for months 1 to 12. */
export const monthInitial = (month: number) => monthName(month)[0]!;
/** `Jan` … for months 1 to 12. */
export const shortMonth = (month: number) => monthName(month).slice(0, 3);
/** The first of the month, for time scales. */
export const monthDate = (period: string) =>
  new Date(Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5)) - 1, 1));

/** A share with the decimals that its range justifies; downloaded files have all four. */
export const formatShare = (value: number) => value.toFixed(2);
/** A difference of shares, with its sign. */
export const formatDifference = (value: number) => {
  const text = Math.abs(value).toFixed(2);
  return Number(text) === 0 ? text : (value < 0 ? '−' : '+') + text;
};
/** `0.23 (0.15–0.34)`. */
export const formatWithRange = ({ score, low, high }: { score: number; low: number; high: number }) =>
  `${formatShare(score)} (${formatShare(low)}–${formatShare(high)})`;
/** An integer with non-breaking spaces between thousands, the same in every locale. */
export const formatInteger = (value: number) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
/** `1 200 (900–1 500)` of the lower, middle and upper quantile. */
export const formatQuantiles = ([low, middle, high]: readonly number[]) =>
  `${formatInteger(middle!)} (${formatInteger(low!)}–${formatInteger(high!)})`;
/** `1.2 million`, `340 000`. */
export const formatPeople = (value: number) =>
  value >= 1e6
    ? `${(value / 1e6).toFixed(1)} million`
    : formatInteger(value >= 1e4 ? 1000 * Math.round(value / 1000) : value);
/** `1 LGA`, `3 LGAs`. */
export const formatCount = (number: number, { one, many }: { one: string; many: string }) =>
  `${formatInteger(number)} ${number === 1 ? one : many}`;
export { joinInSentence as inSentence } from '../shared/names.ts';
/** With a capital first letter. */
export const capitalize = (text: string) => text[0]!.toUpperCase() + text.slice(1);
