import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { calendarMonth } from '../../../proxy/limits/calendar-month.ts';
import type { Charge, Verdict } from '../../../proxy/limits/verdict.ts';
import { openSqliteLimiter } from '../../../proxy/store/sqlite-limiter.ts';

const START = Date.parse('2026-03-10T12:00:00Z');

/** A clock that tests advance; a reboot keeps the wall clock and restarts the steady clock. */
function fakeClock() {
  const state = { wall: START, steady: 1000, boot: 1 };
  return {
    get boot() {
      return `boot ${state.boot}`;
    },
    wallMs: () => state.wall,
    steadyMs: () => state.steady,
    pass: (ms: number) => {
      state.wall += ms;
      state.steady += ms;
    },
    reboot: () => {
      state.steady = 7;
      state.boot++;
    },
    setWall: (wall: number) => {
      state.wall = wall;
    },
  };
}

let folder: string;
let file: string;
let clock: ReturnType<typeof fakeClock>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malaria-limits-'));
  file = join(folder, 'limits');
  clock = fakeClock();
  return () => rmSync(folder, { recursive: true });
});

const open = (at = file) => {
  const limiter = openSqliteLimiter(at, clock);
  let open = true;
  const close = () => {
    if (open) limiter.close();
    open = false;
  };
  onTestFinished(close);
  return { ...limiter, close };
};
/** Opens a copy of the files as kill -9 at this moment would leave them behind. */
const crash = () => {
  const copy = join(folder, `copy-${Math.random()}`);
  for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return Object.assign(open(copy), { file: copy });
};
const take = (limiter: ReturnType<typeof openSqliteLimiter>, charge: Partial<Charge> = {}): Verdict =>
  limiter.take({ keyId: 'k', ownerId: 'o', perMinute: 5, perMonth: null, ...charge }) as Verdict;
const granted = (limiter: ReturnType<typeof openSqliteLimiter>, times: number, charge: Partial<Charge> = {}): number =>
  Array.from({ length: times }, () => take(limiter, charge)).filter((verdict) => verdict.refusedBy === null).length;

describe('the minute', () => {
  test('never grants more than N in a span, compared with a naive model, across restarts and crashes', () => {
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ wait: fc.integer({ min: 0, max: 20_000 }), ask: fc.integer({ min: 1, max: 8 }) }),
      },
      { weight: 1, arbitrary: fc.constantFrom('restart', 'reboot', 'crash') },
    );
    let run = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(step, { maxLength: 25 }), (perMinute, steps) => {
        file = join(folder, `run-${run++}`);
        let limiter = open();
        const grants: number[] = [];
        for (const what of steps) {
          if (what === 'restart') {
            limiter.close();
            limiter = open();
          } else if (what === 'reboot') {
            limiter.close();
            clock.reboot();
            clock.setWall(clock.wallMs() + 3_600_000);
            limiter = open();
            clock.setWall(clock.wallMs() - 3_600_000);
          } else if (what === 'crash') {
            const after = crash();
            limiter.close();
            limiter = after;
            file = after.file;
          } else {
            clock.pass(what.wait);
            for (let i = 0; i < what.ask; i++) {
              const inSpan = grants.filter((time) => clock.wallMs() - time < 60_000).length;
              const verdict = take(limiter, { perMinute });
              if (verdict.refusedBy === null) grants.push(clock.wallMs());
              expect(inSpan + (verdict.refusedBy === null ? 1 : 0)).toBeLessThanOrEqual(perMinute);
              // Without restarts nothing is lost either.
              if (!steps.some((other) => typeof other === 'string'))
                expect(verdict.refusedBy === null).toBe(inSpan < perMinute);
            }
          }
        }
        limiter.close();
      }),
      { numRuns: 60 },
    );
  });

  test('decision, remainder and reset match a plain list of grants while limits are raised and lowered', () => {
    const wait = fc.oneof(fc.constantFrom(0, 1, 59_999, 60_000), fc.double({ min: 0, max: 30_000, noNaN: true }));
    const step = fc.record({ wait, ask: fc.integer({ min: 1, max: 12 }), perMinute: fc.integer({ min: 1, max: 12 }) });
    let run = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        file = join(folder, `model-${run++}`);
        const limiter = open();
        let grants: number[] = [];
        for (const { wait, ask, perMinute } of steps) {
          clock.pass(wait);
          const now = clock.steadyMs();
          grants = grants.filter((time) => now - time < 60_000);
          for (let i = 0; i < ask; i++) {
            const isGranted = grants.length < perMinute;
            if (isGranted) grants.push(now);
            const leaves = grants[Math.max(0, grants.length - perMinute)]! + 60_000;
            expect(take(limiter, { perMinute })).toEqual({
              refusedBy: isGranted ? null : 'minute',
              minute: {
                limit: perMinute,
                remaining: Math.max(0, perMinute - grants.length),
                resetSeconds: Math.ceil((leaves - now) / 1000),
              },
              month: null,
            });
          }
        }
        limiter.close();
      }),
      { numRuns: 60 },
    );
  });

  test('a graceful restart forgets nothing and a crash costs at most a block', () => {
    const first = open();
    expect(granted(first, 30, { perMinute: 60 })).toBe(30);
    const afterCrash = crash();
    // Blocks contain 6 requests: no more than 30 and no fewer than 24 are left.
    expect(granted(afterCrash, 99, { perMinute: 60 })).toBe(30);
    first.close();
    expect(granted(open(), 99, { perMinute: 60 })).toBe(30);
  });

  test('after a restart or a crash the last grants still count, even those from a block begun long before', () => {
    for (const [end, later] of [
      ['restart', 30_000],
      ['crash', 60_500],
    ] as const) {
      file = join(folder, end);
      let limiter = open();
      expect(granted(limiter, 1, { perMinute: 60 })).toBe(1);
      clock.pass(later);
      expect(granted(limiter, 5, { perMinute: 60 })).toBe(5);
      const before = limiter;
      if (end === 'crash') limiter = crash();
      before.close();
      if (end === 'restart') limiter = open();
      clock.pass(59_999);
      expect(granted(limiter, 99, { perMinute: 60 })).toBeLessThanOrEqual(55);
      limiter.close();
    }
  });

  test('after kill -9 all but a block is available a minute after it was granted, not after the restart', () => {
    for (const [first, later] of [
      [60, 0],
      [54, 6],
    ] as const) {
      file = join(folder, `wait-${later}`);
      const limiter = open();
      expect(granted(limiter, first, { perMinute: 60 })).toBe(first);
      clock.pass(52_700);
      expect(granted(limiter, later, { perMinute: 60 })).toBe(later);
      const after = crash();
      limiter.close();
      clock.pass(60_000 - 52_700);
      const room = granted(after, 99, { perMinute: 60 });
      expect([54, 60]).toContain(room);
      clock.pass(52_700);
      expect(granted(after, 99, { perMinute: 60 })).toBe(60 - room);
    }
  });

  test('expired blocks and old months are deleted from memory and from the file', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const limiter = open();
    for (let i = 0; i < 500; i++) take(limiter, { keyId: `key ${i}`, ownerId: `owner ${i}`, perMonth: 100 });
    clock.setWall(START + 500 * 86_400_000);
    clock.pass(120_000);
    take(limiter, { perMonth: 100 });
    vi.advanceTimersByTime(60_000);
    limiter.close();
    open().close();
    const db = new DatabaseSync(file);
    onTestFinished(() => db.close());
    expect(db.prepare('SELECT DISTINCT key_id FROM blocks').all()).toEqual([{ key_id: 'k' }]);
    expect(db.prepare('SELECT month FROM months').all()).toEqual([{ month: '2027-07' }]);
  });

  test('setting the wall clock forward or back while the server is down does not grant the minute again', () => {
    for (const step of [3_600_000, -3_600_000]) {
      file = join(folder, `step-${step}`);
      const limiter = open();
      expect(granted(limiter, 9)).toBe(5);
      limiter.close();
      clock.setWall(clock.wallMs() + step);
      const after = open();
      clock.pass(59_999);
      expect(granted(after, 9)).toBe(0);
      clock.pass(1);
      expect(granted(after, 9)).toBe(5);
    }
  });

  test('a damaged file is refused, with advice on how to restore it', () => {
    const limiter = open();
    for (let i = 0; i < 500; i++) take(limiter, { keyId: `key ${i}` });
    limiter.close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096 * 3, 4096 * 3 + 40);
    writeFileSync(file, bytes);
    expect(() => open()).toThrow(/limits is damaged .*; restore the last backup: malaria-proxy restore FILE/);
  });

  test('a block left open counts for no longer than it could have been used', () => {
    const first = open();
    granted(first, 3);
    clock.pass(119_999);
    // Blocks of 1: the first two are used up and have expired.
    expect(granted(crash(), 9)).toBe(4);
    clock.pass(1);
    expect(granted(crash(), 9)).toBe(5);
  });

  test('is measured by the steady clock: setting the wall clock back or forward changes nothing', () => {
    const limiter = open();
    granted(limiter, 5);
    clock.setWall(START - 3_600_000);
    expect(granted(limiter, 1)).toBe(0);
    clock.setWall(START + 3_600_000);
    expect(granted(limiter, 1)).toBe(0);
    clock.pass(60_000);
    expect(granted(limiter, 9)).toBe(5);
  });
});

describe('the month', () => {
  const live = { perMinute: 1000, perMonth: 250 };

  test('a clock that is set to the next month and back repeatedly costs no allowance', () => {
    const limiter = open();
    const [march, april] = [clock.wallMs(), Date.parse('2026-04-01T00:00:00Z')];
    for (let i = 0; i < 200; i++) {
      clock.setWall(i % 2 === 0 ? march : april);
      expect([i, granted(limiter, 1, live)]).toEqual([i, 1]);
    }
    for (const wall of [march, april]) {
      clock.setWall(wall);
      expect(granted(limiter, 300, live)).toBe(150);
    }
  });

  test('a restart keeps the count, a crash costs at most a block of 1%', () => {
    const charge = { perMinute: 10_000, perMonth: 1000 };
    const first = open();
    expect(granted(first, 123, charge)).toBe(123);
    expect(granted(crash(), 2000, charge)).toBe(1000 - 130);
    first.close();
    clock.reboot();
    expect(granted(open(), 2000, charge)).toBe(1000 - 123);
  });
});

test('only one process can use the limits', () => {
  const first = open();
  expect(() => open()).toThrow(/is in use by another .*--limits redis:\/\//);
  first.close();
  expect(() => open()).not.toThrow();
});

test('calendar months are UTC', () => {
  const february = calendarMonth(Date.parse('2024-02-29T23:59:59.999Z'));
  expect(february).toEqual({ name: '2024-02', start: Date.UTC(2024, 1), end: Date.UTC(2024, 2) });
  expect(calendarMonth(Date.parse('2024-02-01T00:00:00Z'), february)).toBe(february);
  expect(calendarMonth(Date.parse('2024-03-01T00:00:00Z'), february).name).toBe('2024-03');
  expect(calendarMonth(Date.parse('2026-12-01T00:00:00Z')).end).toBe(Date.UTC(2027, 0));
});
