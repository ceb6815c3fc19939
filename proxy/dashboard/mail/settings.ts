/** Separate from mailer.ts, so that commands can read the defaults without loading a mail client. */
export const DEFAULT_MAIL = 'outbox:build/outbox';
export const DEFAULT_MAIL_FROM = 'malaria-risk@localhost';
