import type { Attempts } from '../accounts/attempts.ts';
import type { AccountStore } from '../accounts/open-store.ts';
import type { UsageStore } from '../accounts/usage.ts';
import type { Clock } from '../clock.ts';
import type { Gate } from '../limits/gate.ts';
import type { SignInOutcome } from '../metrics.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Directory } from './people/directory.ts';
import type { Role } from './people/rules.ts';
import type { Reference } from './reference.ts';

export const SERVICE_NAME = 'Malaria Risk Data Service';

/** What the pages use. */
export interface Services {
  accounts: AccountStore;
  directory: Directory;
  attempts: Attempts;
  mailer: Mailer;
  limiter: Pick<Gate, 'monthUsed'>;
  usage: Pick<UsageStore, 'listUsage' | 'listErrors'>;
  /** Brings `usage` up to date. */
  flushUsage: () => Promise<void>;
  /** The service's default limits. */
  perMinute: number;
  perMonth: number;
  clock: Clock;
  /** What new keys start with. */
  brand: string;
  /** Where people reach the dashboard, without a trailing slash. */
  url: () => string;
  /** Where clients reach the API, likewise. */
  apiUrl: () => string;
  /** A state in the snapshot, for examples. */
  exampleState: () => string;
  /** A text in the words that the snapshot's country has for its areas. */
  words: (text: string) => string;
  /** What the snapshot says of the API; null if it is from before it did. */
  reference: () => Promise<Reference | null>;
  /** The feed of releases; null where none is told of. */
  feed: () => Promise<Buffer | null>;
  /** Logs a line when something fails. */
  report: (line: string) => void;
  /** Counts an attempt to sign in, or to confirm it, in the metrics. */
  countSignIn: (outcome: SignInOutcome) => void;
  /** Roles besides the service team's that must use two-step sign-in. */
  twoStep: readonly Role[];
  /** Does work after the answer, so that the answer's timing tells nothing; awaited when the server stops. */
  later: (work: () => Promise<void>) => void;
}
