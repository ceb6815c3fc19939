/** A private Slurm cluster: real daemons for three nodes on this host, in a temporary directory. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, userInfo } from 'node:os';
import path from 'node:path';

const DAEMONS = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'snakemake'];
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

/** Why Slurm, Munge and Snakemake cannot be used here: missing programs, or missing permission; null if they can. */
export const missingForSlurm = (): string | null => {
  const found = (name: string) => {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { env: { PATH }, stdio: 'pipe' }).length > 0;
    } catch {
      return false;
    }
  };
  const missing = DAEMONS.filter((name) => !found(name));
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  return userInfo().uid === 0 ? null : 'slurmd needs root';
};

export interface Slurm {
  /** Environment variables for its commands. */
  env: Record<string, string>;
  /** Runs one of its commands. @returns its output */
  ask(command: string, ...args: string[]): string;
  /** Kills a node as a power cut would: its daemon and all processes of its jobs, at once. */
  killNode(node: string): void;
  stop(): Promise<void>;
}

export const NODES = ['n1', 'n2', 'n3'] as const;

/**
 * Starts the cluster and waits until its nodes are idle.
 * @param directory an empty directory with a short absolute path, because it contains sockets
 * @param cpus number of CPUs of each node, independent of this host's
 */
export async function startSlurm(directory: string, cpus: number): Promise<Slurm> {
  const at = (...names: string[]) => path.join(directory, ...names);
  for (const folder of ['state', 'log', ...NODES]) mkdirSync(at(folder), { recursive: true, mode: 0o755 });
  writeFileSync(at('munge.key'), randomBytes(128), { mode: 0o400 });
  const ports = await freePorts(1 + NODES.length);
  const conf = at('slurm.conf');
  writeFileSync(
    conf,
    [
      'ClusterName=test',
      `SlurmctldHost=${hostname()}(127.0.0.1)`,
      `SlurmctldPort=${ports[0]}`,
      `SlurmUser=${userInfo().username}`,
      'AuthType=auth/munge',
      'CredType=cred/munge',
      `AuthInfo=socket=${at('munge.socket')}`,
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_Core_Memory',
      'SlurmdParameters=config_overrides',
      'MpiDefault=none',
      'ReturnToService=2',
      'SlurmdTimeout=9',
      'SlurmctldTimeout=60',
      'SchedulerParameters=batch_sched_delay=1,sched_min_interval=100000',
      `StateSaveLocation=${at('state')}`,
      `SlurmctldPidFile=${at('slurmctld.pid')}`,
      `SlurmctldLogFile=${at('log/slurmctld.log')}`,
      `SlurmdPidFile=${at('%n/slurmd.pid')}`,
      `SlurmdSpoolDir=${at('%n')}`,
      `SlurmdLogFile=${at('log/%n.log')}`,
      ...NODES.map(
        (node, i) =>
          `NodeName=${node} NodeHostname=${hostname()} NodeAddr=127.0.0.1 Port=${ports[i + 1]} CPUs=${cpus} RealMemory=16000`,
      ),
      'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE',
      '',
    ].join('\n'),
  );
  const env = { PATH, SLURM_CONF: conf };
  const daemons: Record<string, ChildProcess> = {};
  const launch = (name: string, command: string) => {
    const log = openSync(at('log', `${name}.out`), 'a');
    // slurmd needs a limit of open files between those of some shells and those of others.
    daemons[name] = spawn('sh', ['-c', `ulimit -n 4096; exec ${command}`], {
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
      cwd: directory,
    });
  };
  launch(
    'munged',
    `munged --foreground --force --key-file=${at('munge.key')} --socket=${at('munge.socket')} --pid-file=${at('munged.pid')} --seed-file=${at('munge.seed')} --log-file=${at('log/munged.log')} --num-threads=2`,
  );
  const ask = (command: string, ...args: string[]) =>
    execFileSync(command, args, { env: { ...process.env, ...env }, encoding: 'utf8', stdio: 'pipe' });
  const slurm: Slurm = {
    env,
    ask,
    killNode(node) {
      // Stop all first: a step daemon that saw its job die would still notify the controller.
      const all = ofNode(daemons[node]!.pid!, at(node));
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of all) kill(pid, signal);
    },
    async stop() {
      for (const node of NODES) if (daemons[node]) for (const pid of ofNode(daemons[node].pid!, at(node))) kill(pid);
      for (const name of ['slurmctld', 'munged']) if (daemons[name]) kill(daemons[name].pid!);
      await Promise.all(
        Object.values(daemons).map((child) =>
          child.exitCode === null && child.signalCode === null
            ? new Promise((resolve) => child.once('exit', resolve))
            : null,
        ),
      );
    },
  };
  try {
    await until('munged', () => ask('munge', '-n', '-S', at('munge.socket')).startsWith('MUNGE'));
    launch('slurmctld', `slurmctld -D -f ${conf}`);
    for (const node of NODES) launch(node, `slurmd -D -N ${node} -f ${conf}`);
    await until('three idle nodes', () => ask('sinfo', '-h', '-N', '-o', '%T').match(/^idle$/gm)?.length === 3);
  } catch (error) {
    await slurm.stop();
    throw error;
  }
  return slurm;
}

function kill(pid: number, signal: 'SIGSTOP' | 'SIGKILL' = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** Process ids of a node's daemon, of its step daemons (which leave its process tree), and of all their children. */
function ofNode(slurmd: number, spool: string): number[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const end = stat.lastIndexOf(')');
        const is = stat.slice(stat.indexOf('(') + 1, end);
        const parent = Number(stat.slice(end + 2).split(' ')[1]);
        return [{ pid: Number(name), is, parent, environ: readFileSync(`/proc/${name}/environ`, 'utf8') }];
      } catch {
        return [];
      }
    });
  const node = path.basename(spool);
  const own = new Set([slurmd]);
  const steps = new Set(processes.flatMap(({ is, pid }) => (is === 'slurmstepd' ? [pid] : [])));
  for (const { pid, parent, environ } of processes) {
    if (!environ.includes(path.dirname(spool)) || !environ.includes(`SLURMD_NODENAME=${node}\0`)) continue;
    own.add(pid);
    if (steps.has(parent)) own.add(parent);
  }
  for (let size = 0; size < own.size; ) {
    size = own.size;
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid);
  }
  return [...own];
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
        ),
    ),
  );
  for (const server of servers) server.close();
  return ports;
}

async function until(what: string, isTrue: () => boolean, seconds = 60): Promise<void> {
  const end = Date.now() + 1000 * seconds;
  let last = '';
  while (Date.now() < end) {
    try {
      if (isTrue()) return;
    } catch (error) {
      last = String((error as { stderr?: string }).stderr ?? error);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`no ${what} within ${seconds} s: ${last}`);
}
