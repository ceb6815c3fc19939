/** Requests of a key per minute, and of an owner's live keys per month, unless the owner has limits of its own. */
export const DEFAULT_PER_MINUTE = 60;
export const DEFAULT_PER_MONTH = 10_000;

export const LIMITS_TEXT = `Unless the service team grants others, a key may send ${DEFAULT_PER_MINUTE} requests in any minute, and the live keys of an account together ${DEFAULT_PER_MONTH.toLocaleString('en')} in a calendar month (UTC). \`RateLimit\` says what is left; beyond, the answer is a 429 with \`Retry-After\`.`;
