/** Scheduled mails: when an allowance is nearly or fully used, and before a key expires. Each is sent once. */

import { DAY_MS } from '../../pipeline/lib/clock.ts';
import { errorLine } from '../../pipeline/lib/errors.ts';
import { accountStatus, keyStatus } from '../store/account-rules.ts';
import type { Account, Key } from '../store/row-types.ts';
import type { Services } from './kit/services.ts';
import type { Mail } from './mail/mailer.ts';
import { allowanceMail, expiryMail } from './mail/mails.ts';

/** Percentages of the allowance at which people are notified, highest first. */
const MAIL_AT_PERCENT = [100, 80] as const;
/** How long before a key expires people are notified; for a short-lived key, half of its lifetime. */
const BEFORE_EXPIRY_MS = 14 * DAY_MS;

/** Sends the mails that are due. One that cannot be sent is tried again the next time. */
export async function sendScheduledMails(services: Services): Promise<void> {
  const { accounts, clock, logLine } = services;
  const now = clock.wallMs();
  const keys = Map.groupBy(await accounts.listKeys(), ({ owner }) => owner.id);
  for (const account of await accounts.listAccounts()) {
    if (accountStatus(account) !== 'active') continue;
    const dueMails = [
      ...(await dueAllowanceMails(account, now, services)),
      ...(keys.get(account.id) ?? []).flatMap(({ key }) => dueExpiryMails(key, now, services)),
    ];
    for (const dueMail of dueMails)
      await sendOnce(dueMail, account, now, services).catch((error) =>
        logLine(`mail not sent: ${errorLine(error)}`, 'mail'),
      );
  }
}

interface ScheduledMail {
  /** So that it is never sent twice. */
  id: string;
  /** The mail to one recipient; null if another mail already says it. */
  mailTo: ((to: string) => Mail) | null;
}

async function dueAllowanceMails(
  { id, per_month }: Account,
  now: number,
  services: Services,
): Promise<ScheduledMail[]> {
  const allowance = per_month ?? services.perMonth;
  const used = await services.usage.grantedInMonth(id, now);
  const month = new Date(now).toISOString().slice(0, 7);
  const percentsReached = MAIL_AT_PERCENT.filter((percent) => used >= (percent / 100) * allowance);
  return percentsReached.map((percent, i) => ({
    id: `${percent}% of ${month} by ${id}`,
    mailTo: i === 0 ? (to) => allowanceMail(to, percent, allowance, services.dashboardUrl()) : null,
  }));
}

function dueExpiryMails(key: Key, now: number, { dashboardUrl }: Services): ScheduledMail[] {
  const { id, name, created_at, expires_at } = key;
  if (expires_at === null || keyStatus(key, now) !== 'active') return [];
  if (now < expires_at - Math.min(BEFORE_EXPIRY_MS, (expires_at - created_at) / 2)) return [];
  return [{ id: `end of ${id} at ${expires_at}`, mailTo: (to) => expiryMail(to, name, expires_at, dashboardUrl()) }];
}

async function sendOnce(
  { id, mailTo }: ScheduledMail,
  account: Account,
  now: number,
  services: Services,
): Promise<void> {
  const { directory, mailer } = services;
  if (!(await directory.markNoticeSent(id, now)) || mailTo === null) return;
  try {
    // Those who can create keys.
    const people = (await directory.listPeople(account.id)).filter(({ role }) => role !== 'member');
    for (const { email } of people) await mailer.send(mailTo(email), now);
  } catch (error) {
    await directory.unmarkNoticeSent(id);
    throw error;
  }
}
