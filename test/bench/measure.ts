import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Time and memory of one run of a program. */
export interface Measured {
  wall_s: number;
  /** User and system time; NaN if the system has no /proc. */
  cpu_s: number;
  /** Peak resident memory; NaN if the system has no /proc. */
  peak_mb: number;
}

/** Clock ticks per second in /proc: 100 on every current Linux. */
const TICKS = 100;

/**
 * Runs a program to its end. CPU time and memory are read from /proc every few milliseconds, so they miss what happens
 * after the last reading.
 * @throws Error with the last line of its output if it fails
 */
export async function measure(command: string, args: string[]): Promise<Measured> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (text) => {
    output += text;
  });
  let [cpu_s, peak_mb] = [Number.NaN, Number.NaN];
  const readUsage = () => {
    const usage = usageOf(child.pid!);
    if (usage) [cpu_s, peak_mb] = [usage.cpu_s, usage.peak_mb];
  };
  const timer = setInterval(readUsage, 5);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).finally(() => clearInterval(timer));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.trim().split('\n').at(-1)}`);
  return { wall_s: (performance.now() - started) / 1000, cpu_s, peak_mb };
}

/** What a process has used so far, and its memory now; null if it has ended, or the system has no /proc. */
export function usageOf(pid: number): { cpu_s: number; memory_mb: number; peak_mb: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1e3;
    return {
      cpu_s: (Number(fields[11]) + Number(fields[12])) / TICKS,
      memory_mb: megabytes('VmRSS'),
      peak_mb: megabytes('VmHWM'),
    };
  } catch {
    return null;
  }
}
