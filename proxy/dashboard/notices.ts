/** Scheduled mails: when an allowance is nearly or fully used, and before a key expires. Each is sent once. */

import { DAY_MS } from '../../pipeline/lib/clock.ts';
import { errorLine } from '../../pipeline/lib/errors.ts';
import { accountStatus, keyStatus } from '../store/account-rules.ts';
import type { Account, Key } from '../store/row-types.ts';
import type { Services } from './kit/services.ts';
import type { Mail } from './mail/mailer.ts';
import { allowanceMail, expiryMail } from './mail/mails.ts';

/** Percentages of the allowance at which people are notified, highest first. */
const NOTIFY_AT_PERCENT = [100, 80] as const;
/** How long before a key expires people are notified; for a short-lived key, half of its lifetime. */
const AHEAD_MS = 14 * DAY_MS;

/** Sends the mails that are due. One that cannot be sent is tried again the next time. */
export async function sendNotices(services: Services): Promise<void> {
  const { accounts, clock, report } = services;
  const now = clock.wallMs();
  const keys = Map.groupBy(await accounts.listKeys(), ({ owner }) => owner.id);
  for (const account of await accounts.listAccounts()) {
    if (accountStatus(account) !== 'active') continue;
    const due = [
      ...(await allowanceDue(account, now, services)),
      ...(keys.get(account.id) ?? []).flatMap(({ key }) => expiryDue(key, now, services)),
    ];
    for (const notice of due)
      await sendOnce(notice, account, now, services).catch((error) =>
        report(`mail not sent: ${errorLine(error)}`, 'mail'),
      );
  }
}

interface Notice {
  /** Identifies the notice, so that it is never sent twice. */
  what: string;
  /** The mail to one recipient; null if another notice already covers it. */
  mail: ((to: string) => Mail) | null;
}

async function allowanceDue({ id, per_month }: Account, now: number, services: Services): Promise<Notice[]> {
  const most = per_month ?? services.perMonth;
  const used = await services.usage.grantedInMonth(id, now);
  const month = new Date(now).toISOString().slice(0, 7);
  const reached = NOTIFY_AT_PERCENT.filter((percent) => used >= (percent / 100) * most);
  return reached.map((percent, i) => ({
    what: `${percent}% of ${month} by ${id}`,
    mail: i === 0 ? (to) => allowanceMail(to, percent, most, services.url()) : null,
  }));
}

function expiryDue(key: Key, now: number, { url }: Services): Notice[] {
  const { id, name, created_at, expires_at } = key;
  if (expires_at === null || keyStatus(key, now) !== 'active') return [];
  if (now < expires_at - Math.min(AHEAD_MS, (expires_at - created_at) / 2)) return [];
  return [{ what: `end of ${id} at ${expires_at}`, mail: (to) => expiryMail(to, name, expires_at, url()) }];
}

async function sendOnce({ what, mail }: Notice, account: Account, now: number, services: Services): Promise<void> {
  const { directory, mailer } = services;
  if (!(await directory.markNoticeSent(what, now)) || mail === null) return;
  try {
    // Those who can create keys.
    const people = (await directory.listPeople(account.id)).filter(({ role }) => role !== 'member');
    for (const { email } of people) await mailer.send(mail(email), now);
  } catch (error) {
    await directory.unmarkNoticeSent(what);
    throw error;
  }
}
