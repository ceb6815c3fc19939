import type { StageEvent } from '../../engine/run-stages.ts';

/** Shows what happens while stages run. */
export interface ProgressDisplay {
  onEvent(event: StageEvent): void;
  /** Clears the line that shows progress. */
  end(): void;
}

/** Where progress is written: standard error, or a substitute in tests. */
export interface Screen {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Assumed duration of a stage that has never run here. */
const UNKNOWN_SECONDS = 1;

/**
 * Shows progress on standard error. On a terminal: a line for each stage that is done, and below them one that is
 * updated with the running stages, the share of all work that is done and the time left, estimated from how long each
 * stage took last time. Elsewhere: a line when a stage starts and when it ends.
 * @param json for programs: one JSON object per event and line instead, with the time
 * @param now seconds
 */
export function showProgress(
  stages: readonly string[],
  json: boolean,
  screen: Screen = process.stderr,
  now: () => number = () => performance.now() / 1000,
): ProgressDisplay {
  const running = new Map<string, { share: number; what: string }>();
  const done = new Set<string>();
  const isLive = (screen.isTTY ?? false) && !json;
  const began = now();
  let expected: Record<string, number> = {};

  const print = (line: string) => screen.write(`${isLive ? '\r\x1b[2K' : ''}${line}\n`);
  const draw = () => {
    if (!isLive) return;
    const expectedSeconds = (stage: string) => expected[stage] ?? UNKNOWN_SECONDS;
    const totalSeconds = stages.reduce((sum, stage) => sum + expectedSeconds(stage), 0) || 1;
    const doneSeconds = stages.reduce(
      (sum, stage) => sum + expectedSeconds(stage) * (done.has(stage) ? 1 : (running.get(stage)?.share ?? 0)),
      0,
    );
    const parts = [...running].map(
      ([stage, { share, what }]) => `${stage} ${Math.round(share * 100)}%${what ? ` ${what}` : ''}`,
    );
    const share = doneSeconds / totalSeconds;
    const line = `${Math.round(100 * share)}% ${timeLeft(share, now() - began)}| ${parts.join(' | ')}`;
    screen.write(`\r\x1b[2K${line.slice(0, (screen.columns ?? 80) - 1)}`);
  };
  return {
    onEvent(event) {
      if (json) {
        const { type, ...rest } = event;
        screen.write(`${JSON.stringify({ type, time: new Date().toISOString(), ...rest })}\n`);
        return;
      }
      switch (event.type) {
        case 'expected':
          expected = event.seconds;
          break;
        case 'cached':
          // It takes no time in this run.
          expected = { ...expected, [event.stage]: 0 };
          done.add(event.stage);
          print(`  ${event.stage.padEnd(13)} unchanged`);
          break;
        case 'started':
          running.set(event.stage, { share: 0, what: '' });
          if (!isLive) print(`  ${event.stage.padEnd(13)} runs: ${describeCauses(event.causes)}`);
          break;
        case 'progress':
          running.set(event.stage, { share: event.share, what: event.what ?? '' });
          break;
        case 'finished':
          running.delete(event.stage);
          done.add(event.stage);
          print(`  ${event.stage.padEnd(13)} done in ${event.seconds.toFixed(1)} s`);
          break;
      }
      draw();
    },
    end() {
      if (isLive) screen.write('\r\x1b[2K');
    },
  };
}

/** Shows the progress of `work` while it runs. @param log gets what was run and for how long, as JSON with the time */
export function withProgress<T>(
  stages: readonly string[],
  json: boolean,
  work: (onEvent: ProgressDisplay['onEvent']) => Promise<T>,
  { quiet = false, log }: { quiet?: boolean | undefined; log?: Screen } = {},
): Promise<T> {
  const display = quiet ? null : showProgress(stages, json);
  const logged = log && showProgress(stages, true, log);
  const onEvent: ProgressDisplay['onEvent'] = (event) => {
    display?.onEvent(event);
    if (event.type !== 'progress') logged?.onEvent(event);
  };
  return work(onEvent).finally(() => display?.end());
}

/** The estimated time left; empty at first, when an estimate would be unreliable. */
function timeLeft(share: number, seconds: number): string {
  if (share < 0.05 || seconds < 1) return '';
  const secondsLeft = Math.ceil((seconds / share) * (1 - share));
  return secondsLeft < 90 ? `about ${secondsLeft} s left ` : `about ${Math.ceil(secondsLeft / 60)} min left `;
}

function describeCauses(causes: readonly string[]): string {
  const moreCauses = causes.length - 3;
  return causes.slice(0, 3).join('; ') + (moreCauses > 0 ? `; and ${moreCauses} more (plan --why)` : '');
}

/** Shows on a terminal which share of a single task is done. */
export function drawShare(share: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${Math.round(share * 100)}%${share >= 1 ? '\n' : ''}`);
}
