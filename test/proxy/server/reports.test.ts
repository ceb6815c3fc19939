import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openReports } from '../../../proxy/server/reports.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const open = () => {
  const lines: string[] = [];
  const { report, failures } = openReports((line, level) => lines.push(`${level} ${line}`));
  return { lines, report, failures };
};

test('of a cause that lasts there is one line a minute, with the number of the others, and one when it has ended', () => {
  const { lines, report, failures } = open();
  for (let second = 0; second < 90; second++) {
    report(`store: ${second}`, 'store');
    vi.advanceTimersByTime(1000);
  }
  expect(lines).toEqual(['error store: 0', 'error store: 59 (and 58 more in the last minute)']);
  vi.advanceTimersByTime(120_000);
  expect(lines.slice(2)).toEqual([
    'error store: 89 (and 29 more in the last minute)',
    'info store: no failure in the last minute',
  ]);
  expect(failures).toMatchObject({ store: 90, mail: 0 });
});

test('while one cause lasts, another is reported at once, and other lines all are', () => {
  const { lines, report, failures } = open();
  for (let i = 0; i < 100; i++) report('store: locked', 'store');
  report('mail: refused', 'mail');
  report('a newer snapshot is damaged', 'publication');
  for (const version of ['A', 'B']) report(`now serving ${version}`);
  expect(lines).toEqual([
    'error store: locked',
    'error mail: refused',
    'warn a newer snapshot is damaged',
    'info now serving A',
    'info now serving B',
  ]);
  expect(failures).toMatchObject({ store: 100, mail: 1, publication: 1 });
});

test('no line names a person, as errors of mail servers do', () => {
  const { lines, report } = open();
  report('mail: 550 5.1.1 <ada.b+c@example.org>: no such user; also tried ada@localhost', 'mail');
  expect(lines).toEqual(['error mail: 550 5.1.1 <…@example.org>: no such user; also tried …@localhost']);
});
