import type { StageEvent } from '../engine/run.ts';

/** Shows what happens while stages run. */
export interface ProgressDisplay {
  onEvent(event: StageEvent): void;
  /** Clears what is not to stay on the screen. */
  end(): void;
}

/**
 * Progress on standard error: on a terminal one line that keeps up with every running stage above those that are done,
 * elsewhere a line as a stage begins and ends.
 * @param json one JSON object a line instead
 */
export function showProgress(stages: readonly string[], json: boolean, stream = process.stderr): ProgressDisplay {
  const running = new Map<string, { share: number; what: string; began: number }>();
  const live = stream.isTTY && !json;
  let done = 0;
  const print = (line: string) => stream.write(`${live ? '\r\x1b[2K' : ''}${line}\n`);
  const draw = () => {
    if (!live) return;
    const parts = [...running].map(([stage, { share, what, began }]) => {
      const seconds = (performance.now() - began) / 1000;
      const left = share > 0.05 ? `, about ${Math.ceil((seconds / share) * (1 - share))} s left` : '';
      return `${stage} ${Math.round(share * 100)}%${what ? ` ${what}` : ''}${left}`;
    });
    stream.write(`\r\x1b[2K[${done}/${stages.length}] ${parts.join(' | ')}`.slice(0, (stream.columns ?? 80) + 4));
  };
  return {
    onEvent(event) {
      if (json) {
        stream.write(`${JSON.stringify(event)}\n`);
        return;
      }
      switch (event.type) {
        case 'cached':
          done += 1;
          print(`  ${event.stage.padEnd(13)} unchanged`);
          break;
        case 'started':
          running.set(event.stage, { share: 0, what: '', began: performance.now() });
          if (!live) print(`  ${event.stage.padEnd(13)} runs: ${event.causes.slice(0, 3).join('; ')}`);
          break;
        case 'progress':
          running.set(event.stage, { ...running.get(event.stage)!, share: event.share, what: event.what ?? '' });
          break;
        case 'finished':
          running.delete(event.stage);
          done += 1;
          print(`  ${event.stage.padEnd(13)} done in ${event.seconds.toFixed(1)} s`);
          break;
      }
      draw();
    },
    end() {
      if (live) stream.write('\r\x1b[2K');
    },
  };
}
