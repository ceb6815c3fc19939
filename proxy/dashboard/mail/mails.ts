/** The dashboard's mails. Subjects are fixed text, and only addresses go into headers. */

import { DAY_MS } from '../../../pipeline/lib/clock.ts';
import { INVITATION_LINK_MS, RESET_LINK_MS } from '../../store/people/person-rules.ts';
import type { Role } from '../../store/row-types.ts';
import type { Mail } from './mailer.ts';

export const SERVICE_NAME = 'Malaria Risk Data Service';

/** The URL of the page for a link with `token`. */
export function linkUrl(url: string, token: string): string {
  return `${url}/link/${token}`;
}

const mail = ({ to, subject, paragraphs }: { to: string; subject: string; paragraphs: string[] }): Mail => ({
  to,
  subject,
  text: [...paragraphs, SERVICE_NAME].join('\n\n'),
});
const IGNORE = 'If you did not expect this mail, you can ignore it.';
const INVITATION = `Invitation to the ${SERVICE_NAME}`;
const accountName = (account: string | null) => (account === null ? 'the service team' : `“${account}”`);

const CREATE_KEY = 'Then sign in, create a key, and follow “Your first map” in the reference.';
const ASK_FOR_KEY =
  'Then sign in, ask an administrator of your organisation for a key, and follow “Your first map” in the reference.';

/** Invites somebody to `account`, or to the service team if it is null. */
export function invitationMail({
  to,
  role,
  account,
  link,
}: {
  to: string;
  role: Role;
  account: string | null;
  link: string;
}): Mail {
  const as = role === 'administrator' ? ' as an administrator' : '';
  return mail({
    to,
    subject: INVITATION,
    paragraphs: [
      `You have been invited to join ${accountName(account)}${as} at the ${SERVICE_NAME}, ` +
        'which provides malaria risk by district and month to programmes and researchers.',
      `Open this link within ${INVITATION_LINK_MS / DAY_MS} days to choose a password. It works once:`,
      link,
      ...(account === null ? [] : [role === 'member' ? ASK_FOR_KEY : CREATE_KEY]),
      IGNORE,
    ],
  });
}

/** To somebody who was invited but already has an account elsewhere. The inviter is not informed of that account. */
export function invitedElsewhereMail(to: string, account: string | null): Mail {
  return mail({
    to,
    subject: INVITATION,
    paragraphs: [
      `You have been invited to join ${accountName(account)} at the ${SERVICE_NAME}.`,
      'You already have an account there with this address, and an address can belong to one account only.\n' +
        'To accept, ask to be invited with another address.',
      IGNORE,
    ],
  });
}

/** To a researcher whose account has just been unlocked, so that it may have keys. */
export function unlockedMail(to: string, url: string): Mail {
  return mail({
    to,
    subject: `API access unlocked at the ${SERVICE_NAME}`,
    paragraphs: [
      `The service team has unlocked API access for your account at the ${SERVICE_NAME}.`,
      `You can create a key now: ${url}/settings/api-access`,
    ],
  });
}

/** To those who can create an account's keys, once `percent` of the month's allowance of `most` requests is used. */
export function allowanceMail(to: string, percent: number, most: number, url: string): Mail {
  return mail({
    to,
    subject: `Allowance at the ${SERVICE_NAME}`,
    paragraphs: [
      `Your live keys have used ${percent}% of this month's ${most} requests.`,
      percent < 100
        ? 'At 100%, requests with live keys will be refused until the month ends (UTC). Test keys will continue to work.'
        : 'Requests with live keys are refused until the month ends (UTC). Test keys continue to work.',
      `Usage by key and day: ${url}/settings/usage`,
    ],
  });
}

/** To the same people, some time before the key called `name` expires. */
export function expiryMail(to: string, name: string, expiresAt: number, url: string): Mail {
  return mail({
    to,
    subject: `A key for the ${SERVICE_NAME} will expire`,
    paragraphs: [
      `Your key “${name}” works until ${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
      `You can replace it and choose how long the old key keeps working: ${url}/settings/api-access`,
    ],
  });
}

export function resetMail(to: string, link: string): Mail {
  return mail({
    to,
    subject: `New password for the ${SERVICE_NAME}`,
    paragraphs: [
      `Somebody, probably you, asked for a new password at the ${SERVICE_NAME}.`,
      `Open this link within ${RESET_LINK_MS / 60_000} minutes. It works once:`,
      link,
      IGNORE,
    ],
  });
}

/** After a wrong password, or a wrong code after the right password, from `address`. */
export function failureMail({
  to,
  what,
  address,
  url,
}: {
  to: string;
  what: 'password' | 'code';
  address: string;
  url: string;
}): Mail {
  const [given, advice] = {
    password: ['a wrong password', 'If it was not you, you need not do anything: they did not get in.'],
    code: [
      'a wrong code for two-step sign-in. They may know your password',
      `If it was not you, choose a new password at once: ${url}/forgotten`,
    ],
  }[what] as [string, string];
  return mail({
    to,
    subject: `Failed sign-in at the ${SERVICE_NAME}`,
    paragraphs: [
      `Somebody, perhaps you, tried to sign in with your address ${to} from ${address} and gave ${given}.`,
      advice,
      'There may be further attempts. We send only a few of these mails a day.',
    ],
  });
}
