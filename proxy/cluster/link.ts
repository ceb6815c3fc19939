import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { lineOf, UsageError } from '../../pipeline/lib/errors.ts';

const SCRIPTS = ['admit', 'put', 'block', 'lease', 'open', 'month'] as const;
export type Script = (typeof SCRIPTS)[number];

const TEXTS = SCRIPTS.map((name) => readFileSync(join(import.meta.dirname, `${name}.lua`), 'utf8'));

/**
 * A connection to one Redis process. It does not reconnect: the next process to answer at the same address may be
 * another one with other data, and must be checked first.
 */
export interface Link {
  /** Redis's own id of its process, new after each restart. */
  runId: string;
  isOpen(): boolean;
  run(script: Script, keys: string[], args: (string | number)[]): Promise<unknown>;
  /** Deletes all keys with `prefix`, in small batches. */
  sweep(prefix: string): Promise<void>;
  close(): void;
}

const SWEEP_BATCH = 500;
/** With this many commands waiting for an answer, further ones fail at once. */
const MOST_WAITING = 20_000;

/**
 * Connects to the Redis at `url`. If it leaves commands unanswered for `deadlineMs`, the link is closed and they fail.
 * @throws UsageError if it cannot be reached, or is set to evict keys.
 */
export async function openLink(url: string, deadlineMs: number): Promise<Link> {
  const client = clientFor(url, deadlineMs);
  let [sent, answered, lastAnswer] = [0, 0, performance.now()];
  let hangs = false;
  const close = () => {
    clearInterval(watch);
    if (client.isOpen) client.destroy();
  };
  const watch = setInterval(() => {
    if (sent === answered || performance.now() - lastAnswer < deadlineMs) return;
    // If this process itself was paused, answers that have arrived since are read first.
    setImmediate(() => {
      if (sent === answered || performance.now() - lastAnswer < deadlineMs) return;
      hangs = true;
      close();
    });
  }, deadlineMs / 5).unref();
  client.on('error', close);
  client.on('end', close);
  const send = async (args: string[]): Promise<unknown> => {
    if (sent === answered) lastAnswer = performance.now();
    sent++;
    try {
      return await client.sendCommand(args);
    } catch (error) {
      // The client's own message reports that it was closed, but not why.
      throw hangs ? new Error(`no answer from Redis within ${deadlineMs} ms`, { cause: error }) : error;
    } finally {
      answered++;
      lastAnswer = performance.now();
    }
  };

  try {
    await client.connect();
    const info = parseInfo(String(await send(['INFO'])));
    if (info.role !== 'master') throw new Error('it is a replica; give the address of the primary');
    if (info.maxmemory_policy !== 'noeviction') {
      throw new Error(`its maxmemory-policy is ${info.maxmemory_policy}, which may evict limits; set it to noeviction`);
    }
    const shas = await Promise.all(TEXTS.map((text) => send(['SCRIPT', 'LOAD', text])));
    return {
      runId: info.run_id!,
      isOpen: () => client.isReady,
      run: (script, keys, args) =>
        send(['EVALSHA', String(shas[SCRIPTS.indexOf(script)]), String(keys.length), ...keys, ...args.map(String)]),
      async sweep(prefix) {
        let cursor = '0';
        do {
          const found = await send(['SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', String(SWEEP_BATCH)]);
          const [next, keys] = found as [string, string[]];
          if (keys.length > 0) await send(['UNLINK', ...keys]);
          cursor = next;
        } while (cursor !== '0');
      },
      close,
    };
  } catch (error) {
    close();
    throw new UsageError(`limits: Redis cannot be used: ${lineOf(error)}`, { cause: error });
  }
}

function clientFor(url: string, deadlineMs: number) {
  try {
    return createClient({
      url,
      RESP: 2,
      socket: { connectTimeout: deadlineMs, reconnectStrategy: false },
      disableOfflineQueue: true,
      disableClientInfo: true,
      commandsQueueMaxLength: MOST_WAITING,
      maintNotifications: 'disabled',
    });
  } catch {
    // The address may contain a password, so the message does not repeat it.
    throw new UsageError('limits: expected redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS');
  }
}

function parseInfo(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
    }),
  );
}
