import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openCommitCounter } from '../../../proxy/keys/commit-counter.ts';

let file: string;
let db: DatabaseSync;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-commits-'));
  file = join(folder, 'db.sqlite');
  db = open();
  db.exec('CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (0)');
  return () => rmSync(folder, { recursive: true });
});
function open(): DatabaseSync {
  const opened = new DatabaseSync(file, { timeout: 5000 });
  opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  onTestFinished(() => opened.close());
  return opened;
}
const counter = () => {
  const opened = openCommitCounter(db, file);
  onTestFinished(opened.close);
  return opened;
};

test('yes once for each commit of anybody, and no between', () => {
  const [commits, other] = [counter(), open()];
  expect([commits.changed(), commits.changed(), commits.changed()]).toEqual([true, false, false]);
  for (const connection of [other, db, other, other]) {
    connection.exec('UPDATE t SET n = n + 1');
    expect([commits.changed(), commits.changed()]).toEqual([true, false]);
  }
  other.exec('BEGIN; UPDATE t SET n = n + 1; ROLLBACK; SELECT * FROM t');
  expect(commits.changed()).toBe(false);
});

test('also after checkpoints, which begin the log anew', () => {
  const [commits, other] = [counter(), open()];
  for (let i = 0; i < 20; i++) {
    other.exec('UPDATE t SET n = n + 1');
    if (i % 3 === 0) other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(commits.changed()).toBe(true);
  }
});

test('counters of one file share it, and closing one leaves the locks of the others', () => {
  const [first, second] = [openCommitCounter(db, file), counter()];
  first.changed();
  first.close();
  const other = open();
  other.exec('UPDATE t SET n = n + 1');
  expect(second.changed()).toBe(true);
});

/** A process that commits as fast as it can, and says the number of each commit once it is made. */
function startWriter(): { child: ChildProcess; last: () => number } {
  const script = `
    import { DatabaseSync } from 'node:sqlite';
    import { writeSync } from 'node:fs';
    const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
    db.exec('PRAGMA synchronous = NORMAL');
    const bump = db.prepare('UPDATE t SET n = n + 1 RETURNING n');
    for (;;) writeSync(1, bump.get().n + '\\n');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-200);
  });
  return { child, last: () => Number(/(\d+)\n[^\n]*$/.exec(text)?.[1] ?? 0) };
}

test('what another process said it committed is never missed, though it is killed at any moment', async () => {
  const commits = counter();
  const read = db.prepare('SELECT n FROM t');
  let cached = 0;
  let looks = 0;
  for (let round = 0; round < 8; round++) {
    const { child, last } = startWriter();
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout!, 'data');
    const until = performance.now() + 60 + Math.random() * 60;
    while (performance.now() < until) {
      const acknowledged = last();
      if (commits.changed()) cached = Number(read.get()!.n);
      expect(cached).toBeGreaterThanOrEqual(acknowledged);
      looks++;
      if (looks % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    child.kill('SIGKILL');
    await once(child, 'close');
    const acknowledged = last();
    if (commits.changed()) cached = Number(read.get()!.n);
    expect(cached).toBeGreaterThanOrEqual(acknowledged);
  }
  expect(looks).toBeGreaterThan(100);
});
