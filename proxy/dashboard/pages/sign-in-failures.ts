/** Recording a wrong password or code: in the metrics, in the audit log, and by mail to the person. */

import { DAY_MS, HOUR_MS } from '../../../pipeline/lib/clock.ts';
import { UNKNOWN_ACTOR } from '../../store/audit.ts';
import type { Person } from '../../store/row-types.ts';
import type { Services } from '../kit/services.ts';
import type { Visit } from '../kit/visit.ts';
import { failureMail } from '../mail/mails.ts';

/** Bounded, because strangers cause these lines and they are never deleted. */
const MAX_AUDIT_ENTRIES_PER_HOUR = 20;
const MAX_MAILS_PER_DAY = 3;

/**
 * Records a wrong password or code for `email`; `person` is null if nobody has that address. Everything except the
 * metric is done after the answer. A wrong password in a browser that the person has signed in with before is taken for
 * a typing error and not mailed.
 */
export function recordFailure(
  credential: 'password' | 'code',
  email: string,
  person: Person | null,
  isKnownBrowser: boolean,
  { address, network, now }: Visit,
  { attempts, countSignIn, directory, runAfterAnswer, mailer, dashboardUrl }: Services,
): void {
  countSignIn(`wrong_${credential}`);
  const isWithinLimit = async (counter: string, most: number, windowMs: number) =>
    (await attempts.charge([{ name: `${counter} of ${person?.id ?? 'nobody'}`, limit: most, windowMs }], now)) === null;
  runAfterAnswer(async () => {
    if (await isWithinLimit('failures', MAX_AUDIT_ENTRIES_PER_HOUR, HOUR_MS)) {
      const event = { accountId: person?.account_id ?? null, subject: email, detail: `from ${network}` };
      await directory.recordUnsynced({ action: `${credential}.wrong`, ...event }, UNKNOWN_ACTOR, now);
    }
    if (!person || (isKnownBrowser && credential === 'password')) return;
    if (await isWithinLimit('mails of failures', MAX_MAILS_PER_DAY, DAY_MS)) {
      await mailer.send(failureMail(person.email, credential, address, dashboardUrl()), now);
    }
  });
}
