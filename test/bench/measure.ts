import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What one run of a program took. */
export interface Measured {
  wall_s: number;
  /** User and system time; NaN where the system has no /proc. */
  cpu_s: number;
  /** Largest resident memory; NaN likewise. */
  peak_mb: number;
}

/** Clock ticks per second that /proc counts in: 100 on every Linux of today. */
const TICKS = 100;

/**
 * Runs a program to its end. CPU and memory are read from /proc every few milliseconds, so they miss what happens after
 * the last look. @throws Error where it fails, with what it said
 */
export async function measure(command: string, args: string[]): Promise<Measured> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  let [cpu_s, peak_mb] = [Number.NaN, Number.NaN];
  const look = () => {
    try {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const high = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
      if (!high) return;
      cpu_s = (Number(fields[11]) + Number(fields[12])) / TICKS;
      peak_mb = Number(high[1]) / 1e3;
    } catch {
      // It has just ended, or there is no /proc.
    }
  };
  const looking = setInterval(look, 5);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).finally(() => clearInterval(looking));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said.trim().split('\n').at(-1)}`);
  return { wall_s: (performance.now() - started) / 1000, cpu_s, peak_mb };
}
