/**
 * Number of requests reserved in advance at a time: a tenth of the minute's limit, a hundredth of the month's, but at
 * least 1 and at most 1,000. So most requests need no write, and a crash costs a client at most this many.
 */
const blockOf = (limit: number, share: number) => Math.min(1000, Math.max(1, Math.floor(limit * share)));
export const minuteBlock = (perMinute: number) => blockOf(perMinute, 1 / 10);
export const monthBlock = (perMonth: number) => blockOf(perMonth, 1 / 100);
