import type { Clock } from '../../../pipeline/lib/clock.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { AccountStore } from '../../store/account-store.ts';
import type { Attempts } from '../../store/attempt-counts.ts';
import type { Directory } from '../../store/people/directory.ts';
import type { Role } from '../../store/row-types.ts';
import type { UsageStore } from '../../store/usage-counts.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { ReferenceContent } from './reference-content.ts';

/** How an attempt to sign in, or to confirm one's identity, can end; the metrics count each. */
export const SIGN_IN_OUTCOMES = ['signed_in', 'wrong_password', 'wrong_code', 'too_many', 'too_busy'] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

/** Everything that the pages need. */
export interface Services {
  accounts: AccountStore;
  directory: Directory;
  attempts: Attempts;
  mailer: Mailer;
  usage: Pick<UsageStore, 'grantedInMonth' | 'listUsage' | 'listErrors'>;
  /** Brings `usage` up to date. */
  flushUsage: () => Promise<void>;
  /** The service's default limits. */
  perMinute: number;
  perMonth: number;
  clock: Clock;
  /** Prefix of new keys. */
  keyPrefix: string;
  /** URL at which people reach the dashboard, without a trailing slash. */
  dashboardUrl: () => string;
  /** Where people find the report; null if the operator has not said. */
  reportUrl: string | null;
  /** URL at which clients reach the API, without a trailing slash. */
  apiUrl: () => string;
  /** The snapshot being served. */
  snapshot: () => Snapshot;
  /** Fills the placeholders of a text (contract/words.ts) with the words of the snapshot's country. */
  inCountryWords: (text: string) => string;
  /** The snapshot's description of the API; null if the snapshot contains none. */
  reference: () => Promise<ReferenceContent | null>;
  /** Logs a line; one about a failure with its cause. */
  logLine: (line: string, cause?: 'dashboard' | 'mail' | 'sign_in') => void;
  /** Counts an attempt to sign in, or to confirm it, in the metrics. */
  countSignIn: (outcome: SignInOutcome) => void;
  /** Roles that must use two-step sign-in, in addition to the service team. */
  twoStepRoles: readonly Role[];
  /** Does work after the answer, so that the answer's timing reveals nothing; awaited when the server stops. */
  runAfterAnswer: (action: () => Promise<void>) => void;
}
