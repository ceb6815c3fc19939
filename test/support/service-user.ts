/** A user other than root, as whom tests run programs. Only root can make files of another user, or become one. */
import { spawnSync } from 'node:child_process';

export const SERVICE = 47_001;

/** Why tests cannot run programs of this checkout as that user; null if they can. */
const obstacle = (): string | null => {
  if (process.geteuid?.() !== 0) return 'skipped: needs root';
  const reading = spawnSync('test', ['-r', import.meta.filename], { uid: SERVICE, gid: SERVICE, cwd: '/' });
  return reading.status === 0 ? null : 'skipped, optional: other users cannot read the folder of the checkout';
};
const found = obstacle();
export const CANNOT_SERVE = found !== null;
export const asServiceUser = (title: string) => (found === null ? title : `${title} (${found})`);
