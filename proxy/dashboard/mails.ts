/** The mails that the dashboard sends. Subjects are fixed text; nothing but an address goes into a header. */
import type { Mail } from '../mail/mailer.ts';
import { DAY_MS, HOUR_MS, INVITATION_MS, RESET_MS, type Role } from '../people/people.ts';
import { SERVICE_NAME } from './services.ts';

/** The page where a link with `token` is opened. */
export function linkUrl(url: string, token: string): string {
  return `${url}/link/${token}`;
}

const END = `\nIf you did not expect this mail, you need not do anything.\n\n${SERVICE_NAME}`;

export function invitationMail(to: string, role: Role, account: string | null, link: string): Mail {
  const where = account === null ? 'the service team' : `“${account}”`;
  const as = role === 'administrator' ? ' as an administrator' : '';
  return {
    to,
    subject: `Invitation to the ${SERVICE_NAME}`,
    text: [
      `You are invited to join ${where}${as} at the ${SERVICE_NAME}.`,
      `\nOpen this link within ${INVITATION_MS / DAY_MS} days to choose a password. It works once:\n`,
      link,
      END,
    ].join('\n'),
  };
}

/** To whoever is invited but has an account elsewhere already. The inviter is not told: it is none of their business. */
export function invitedElsewhereMail(to: string, account: string | null): Mail {
  return {
    to,
    subject: `Invitation to the ${SERVICE_NAME}`,
    text: [
      `You are invited to join ${account === null ? 'the service team' : `“${account}”`} at the ${SERVICE_NAME}.`,
      '\nYou have an account there already under this address, and an address can be in one account only.',
      'To follow the invitation, ask to be invited under another address.',
      END,
    ].join('\n'),
  };
}

export function resetMail(to: string, link: string): Mail {
  return {
    to,
    subject: `New password for the ${SERVICE_NAME}`,
    text: [
      `Somebody, probably you, asked for a new password at the ${SERVICE_NAME}.`,
      `\nOpen this link within ${RESET_MS / HOUR_MS === 1 ? 'an hour' : `${RESET_MS / HOUR_MS} hours`}. It works once:\n`,
      link,
      END,
    ].join('\n'),
  };
}
