import type { Clock } from '../clock.ts';
import type { AccountStore } from '../keys/store.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Attempts } from '../people/attempts.ts';
import type { Directory } from '../people/store.ts';
import type { UsageStore } from '../usage/usage.ts';

export const SERVICE_NAME = 'Malaria Risk Data Service';

/** What the pages work with. */
export interface Services {
  accounts: AccountStore;
  directory: Directory;
  attempts: Attempts;
  mailer: Mailer;
  limiter: Pick<Limiter, 'monthUsed'>;
  usage: Pick<UsageStore, 'listUsage'>;
  /** Brings `usage` up to this moment. */
  flushUsage: () => Promise<void>;
  /** The service's own limits, for accounts without any of theirs. */
  perMinute: number;
  perMonth: number;
  clock: Clock;
  /** What new keys begin with. */
  brand: string;
  /** Where people reach the dashboard, without a slash at the end. */
  url: () => string;
  /** Where clients reach the API, likewise. */
  apiUrl: () => string;
  /** A state that the snapshot covers, for examples. */
  exampleState: () => string;
  /** Called with one line when something fails. */
  report: (line: string) => void;
  /** Work that goes on after its answer, so that the answer's time tells nothing; awaited when the server stops. */
  later: (work: () => Promise<void>) => void;
}
