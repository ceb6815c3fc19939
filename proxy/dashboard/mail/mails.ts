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

function plainMail(to: string, subject: string, paragraphs: readonly string[]): Mail {
  return { to, subject, text: [...paragraphs, SERVICE_NAME].join('\n\n') };
}
const IGNORE_NOTE = 'If you did not expect this mail, you can ignore it.';
const INVITATION_SUBJECT = `Invitation to the ${SERVICE_NAME}`;
const accountInWords = (account: string | null) => (account === null ? 'the service team' : `“${account}”`);

const CREATE_KEY = 'Then sign in, create a key, and follow “Your first map” in the reference.';
const ASK_FOR_KEY =
  'Then sign in, ask an administrator of your organisation for a key, and follow “Your first map” in the reference.';

/** Invites somebody to `account`, or to the service team if it is null. */
export function invitationMail(to: string, role: Role, account: string | null, link: string): Mail {
  const roleClause = role === 'administrator' ? ' as an administrator' : '';
  return plainMail(to, INVITATION_SUBJECT, [
    `You have been invited to join ${accountInWords(account)}${roleClause} at the ${SERVICE_NAME}, ` +
      'which provides malaria risk by district and month to programmes and researchers.',
    `Open this link within ${INVITATION_LINK_MS / DAY_MS} days to choose a password. It works once:`,
    link,
    ...(account === null ? [] : [role === 'member' ? ASK_FOR_KEY : CREATE_KEY]),
    IGNORE_NOTE,
  ]);
}

/** To somebody who was invited but already has an account elsewhere. The inviter is not informed of that account. */
export function invitedElsewhereMail(to: string, account: string | null): Mail {
  return plainMail(to, INVITATION_SUBJECT, [
    `You have been invited to join ${accountInWords(account)} at the ${SERVICE_NAME}.`,
    'You already have an account there with this address, and an address can belong to one account only.\n' +
      'To accept, ask to be invited with another address.',
    IGNORE_NOTE,
  ]);
}

/** To a researcher whose account has just been unlocked, so that it may have keys. */
export function unlockedMail(to: string, url: string): Mail {
  return plainMail(to, `API access unlocked at the ${SERVICE_NAME}`, [
    `The service team has unlocked API access for your account at the ${SERVICE_NAME}.`,
    `You can create a key now: ${url}/settings/api-access`,
  ]);
}

/** To those who can create an account's keys, once `percent` of the month's allowance of requests is used. */
export function allowanceMail(to: string, percent: number, allowance: number, url: string): Mail {
  return plainMail(to, `Allowance at the ${SERVICE_NAME}`, [
    `Your live keys have used ${percent}% of this month's ${allowance} requests.`,
    percent < 100
      ? 'At 100%, requests with live keys will be refused until the month ends (UTC). Test keys will continue to work.'
      : 'Requests with live keys are refused until the month ends (UTC). Test keys continue to work.',
    `Usage by key and day: ${url}/settings/usage`,
  ]);
}

/** To the same people, some time before the key called `name` expires. */
export function expiryMail(to: string, name: string, expiresAt: number, url: string): Mail {
  return plainMail(to, `A key for the ${SERVICE_NAME} will expire`, [
    `Your key “${name}” works until ${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
    `You can replace it and choose how long the old key keeps working: ${url}/settings/api-access`,
  ]);
}

export function resetMail(to: string, link: string): Mail {
  return plainMail(to, `New password for the ${SERVICE_NAME}`, [
    `Somebody, probably you, asked for a new password at the ${SERVICE_NAME}.`,
    `Open this link within ${RESET_LINK_MS / 60_000} minutes. It works once:`,
    link,
    IGNORE_NOTE,
  ]);
}

/** After a wrong password, or a wrong code after the right password, from `address`. */
export function failureMail(to: string, credential: 'password' | 'code', address: string, url: string): Mail {
  const [mistake, advice] = {
    password: ['a wrong password', 'If it was not you, you need not do anything: they did not get in.'],
    code: [
      'a wrong code for two-step sign-in. They may know your password',
      `If it was not you, choose a new password at once: ${url}/forgotten`,
    ],
  }[credential] as [string, string];
  return plainMail(to, `Failed sign-in at the ${SERVICE_NAME}`, [
    `Somebody, perhaps you, tried to sign in with your address ${to} from ${address} and gave ${mistake}.`,
    advice,
    'There may be further attempts. We send only a few of these mails a day.',
  ]);
}
