/** The dashboard's mails. Subjects are fixed text, and only addresses go into headers. */

import { DAY_MS } from '../clock.ts';
import type { Mail } from './mail/mailer.ts';
import { INVITATION_MS, RESET_MS, type Role } from './people/rules.ts';
import { SERVICE_NAME } from './services.ts';

/** The page where a link with `token` is opened. */
export function linkUrl(url: string, token: string): string {
  return `${url}/link/${token}`;
}

const mail = (to: string, subject: string, ...paragraphs: string[]): Mail => ({
  to,
  subject,
  text: [...paragraphs, 'If you did not expect this mail, you can ignore it.', SERVICE_NAME].join('\n\n'),
});
const INVITATION = `Invitation to the ${SERVICE_NAME}`;
const nameOf = (account: string | null) => (account === null ? 'the service team' : `“${account}”`);

/** `account` null: to the service team. */
export function invitationMail(to: string, role: Role, account: string | null, link: string): Mail {
  const as = role === 'administrator' ? ' as an administrator' : '';
  return mail(
    to,
    INVITATION,
    `You have been invited to join ${nameOf(account)}${as} at the ${SERVICE_NAME}.`,
    `Open this link within ${INVITATION_MS / DAY_MS} days to choose a password. It works once:`,
    link,
  );
}

/** For somebody invited who already has an account elsewhere. The inviter is not told: it is none of their business. */
export function invitedElsewhereMail(to: string, account: string | null): Mail {
  return mail(
    to,
    INVITATION,
    `You have been invited to join ${nameOf(account)} at the ${SERVICE_NAME}.`,
    'You already have an account there under this address, and an address can belong to one account only.\n' +
      'To accept, ask to be invited under another address.',
  );
}

export function resetMail(to: string, link: string): Mail {
  return mail(
    to,
    `New password for the ${SERVICE_NAME}`,
    `Somebody, probably you, asked for a new password at the ${SERVICE_NAME}.`,
    `Open this link within ${RESET_MS / 60_000} minutes. It works once:`,
    link,
  );
}
