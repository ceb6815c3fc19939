/** Apart from mailer.ts, so that a command need not load what sends mail to know its defaults. */
export const DEFAULT_MAIL = 'outbox:build/outbox';
export const DEFAULT_MAIL_FROM = 'malaria-risk@localhost';
