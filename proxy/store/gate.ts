import { errorLine } from '../../pipeline/lib/errors.ts';
import { type Admission, toAdmission } from './admission.ts';
import type { AdmitterOptions, Database } from './database.ts';
import { hashKey, hasValidTag } from './key-format.ts';
import { readTagSecrets, SECRETS_POLL_MS, validSecrets } from './tag-secrets.ts';

/** A clock further behind than this was set back. */
const CLOCK_SET_BACK_MS = 60_000;
/** How often the clock is compared with the store, even if nobody asks whether requests can be decided. */
const CLOCK_CHECK_MS = 60_000;

/** Checks the key and the limits of each request. */
export interface Gate {
  /**
   * Decides a request with `key`, as presented by the client, and charges it if granted. Takes into account every
   * change acknowledged before this call.
   * @returns null if the key is unknown, mistyped or not admitted; 'unavailable' if this cannot be checked in time
   */
  admit(key: string): Promise<Admission | 'unavailable' | null>;
  /** Why requests cannot be decided, in a line; null while they can. */
  whyUnavailable(): Promise<string | null>;
  close(): void;
}

export interface GateOptions extends AdmitterOptions {
  /** Called with a line for each request that cannot be decided, and if the clock was set back. */
  report: (line: string, cause: 'store' | 'clock') => void;
  clockCheckMs?: number;
}

/**
 * Opens the gate on `database`. A key with a wrong tag is refused without asking the database, so a flood of forged
 * keys costs it nothing.
 * @throws UsageError if the store is damaged, TryAgain if it cannot be reached.
 */
export async function openGate(
  database: Database,
  { report, clockCheckMs = CLOCK_CHECK_MS, ...options }: GateOptions,
): Promise<Gate> {
  const { clock } = options;
  let secrets = await readTagSecrets(database.db);
  const admitter = database.openAdmitter(options);
  const refreshSecrets = async () => {
    // If they cannot be read, neither can keys, and requests report it.
    secrets = await readTagSecrets(database.db).catch(() => secrets);
  };
  const timer = setInterval(refreshSecrets, SECRETS_POLL_MS).unref();

  const reportFailure = (error: unknown) => {
    report(`keys and limits: ${errorLine(error)}`, 'store');
    return 'unavailable' as const;
  };
  const gate: Gate = {
    async admit(key) {
      if (!hasValidTag(key, validSecrets(secrets, clock.wallMs()))) return null;
      return admitter.decide(hashKey(key)).then((decision) => decision && toAdmission(decision), reportFailure);
    },
    async whyUnavailable() {
      try {
        const behindMs = await admitter.probe();
        if (behindMs > CLOCK_SET_BACK_MS)
          report(
            `clock: ${Math.round(behindMs / 1000)} s behind the time at which the store was last in use, ` +
              'so keys may be refused until it has caught up; see Clocks in operate.md',
            'clock',
          );
        return null;
      } catch (error) {
        return `keys and limits: ${errorLine(error)}`;
      }
    },
    close() {
      clearInterval(timer);
      clearInterval(clockTimer);
      admitter.close();
    },
  };
  // At once, too: the clock of a machine that starts is often set right within seconds.
  void gate.whyUnavailable();
  const clockTimer = setInterval(() => gate.whyUnavailable(), clockCheckMs).unref();
  return gate;
}
