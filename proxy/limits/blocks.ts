/**
 * Requests reserved in advance at a time: a tenth of the minute, a hundredth of the month, between 1 and 1,000. This
 * spares most requests a write, and is the most that a crash can cost a client.
 */
const blockOf = (limit: number, share: number) => Math.min(1000, Math.max(1, Math.floor(limit * share)));
export const minuteBlock = (perMinute: number) => blockOf(perMinute, 1 / 10);
export const monthBlock = (perMonth: number) => blockOf(perMonth, 1 / 100);
