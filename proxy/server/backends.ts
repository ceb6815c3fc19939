import type { Clock } from '../../pipeline/lib/clock.ts';
import { UsageError } from '../../pipeline/lib/errors.ts';
import type { GateTimes } from '../cluster/times.ts';
import type { SourceOptions } from '../snapshot/sources.ts';
import type { SnapshotSource } from '../snapshot/watch.ts';
import { type AccountStore, storeIn } from '../store/account-store.ts';
import type { DefaultLimits, Gate } from '../store/gate.ts';
import { openSqlite } from '../store/sqlite.ts';

export const DEFAULT_STORE = 'sqlite:build/proxy.sqlite';
export const DEFAULT_LIMITS = 'sqlite';

/** The settings that say where accounts, keys and limits are. */
export interface Locations {
  /** `sqlite:FILE` or `postgres://…`. */
  store: string;
  /** `sqlite`, a file beside the store, or `redis://…` with a store in PostgreSQL. */
  limits?: string;
}

export interface GateOptions extends DefaultLimits {
  clock: Clock;
  report: (line: string) => void;
  times?: Partial<GateTimes> | undefined;
}

export interface Backends {
  /** The file of a store in SQLite, which one machine has to itself; null for PostgreSQL. */
  storeFile: string | null;
  /** @throws UsageError if the store is of an unknown kind or cannot be opened. */
  openStore(): Promise<AccountStore>;
  /** @throws UsageError if the limits are of an unknown kind, or of one that the store does not allow. */
  checkLimits(): void;
  /** The gate for the keys in `opened`, this store. @throws UsageError if keys or limits cannot be opened. */
  openGate(opened: AccountStore, options: GateOptions): Promise<Gate>;
  /** @throws UsageError if there is no snapshot, or it is damaged. */
  openSource(options: SourceOptions): Promise<SnapshotSource>;
}

/**
 * The store, gate and source of snapshots that settings ask for: the one place that decides between SQLite and
 * PostgreSQL with Redis, and between a folder and object storage. Each is loaded only when it is opened, so a single
 * machine loads no client of another, and a command that changes accounts loads no snapshot. Messages do not repeat the
 * settings, which may contain passwords.
 */
export function backendsOf({ store, limits = DEFAULT_LIMITS }: Locations): Backends {
  const storeFile = /^sqlite:(.+)$/.exec(store)?.[1] ?? null;
  const isPostgres = /^postgres(ql)?:\/\//.test(store);
  const isRedis = /^rediss?:\/\//.test(limits);

  const checkLimits = () => {
    if (isRedis && !isPostgres) throw new UsageError('limits: redis:// requires --store postgres://…');
    if (!isRedis && limits !== DEFAULT_LIMITS) throw new UsageError('limits: expected sqlite or redis://…');
  };

  return {
    storeFile,
    checkLimits,
    async openStore() {
      if (storeFile !== null) return storeIn(openSqlite(storeFile));
      if (!isPostgres) throw new UsageError('store: expected sqlite:FILE or postgres://…');
      const { openPostgres } = await import('../cluster/postgres.ts');
      // Without the address of the proxies' Redis, a change waits until a proxy has passed it on.
      return storeIn(openPostgres(store, isRedis ? limits : null));
    },
    async openGate(opened, { perMinute, perMonth, clock, report, times = {} }) {
      checkLimits();
      if (isRedis) {
        const { openSharedGate } = await import('../cluster/shared-gate.ts');
        return openSharedGate({ store: opened, url: limits, perMinute, perMonth, report, times });
      }
      if (storeFile === null) throw new UsageError('limits: a store in PostgreSQL requires --limits redis://…');
      const { openEmbeddedGate } = await import('../store/embedded-gate.ts');
      return openEmbeddedGate(storeFile, { perMinute, perMonth, clock, report });
    },
    async openSource(options) {
      const { parseS3 } = await import('../snapshot/s3-url.ts');
      const { openCopies, openFolder } = await import('../snapshot/sources.ts');
      return parseS3(options.snapshot) === null ? openFolder(options) : openCopies(options);
    },
  };
}
