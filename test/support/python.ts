import { spawnSync } from 'node:child_process';

/** Debian's Python has Debian's packages; the first on PATH may be another and lack them. */
const CANDIDATES = ['python3', '/usr/bin/python3'];

/** The first Python here that has all of these modules ('requests, pandas'), if any has. */
export const pythonWith = (modules: string) =>
  CANDIDATES.find((python) => spawnSync(python, ['-c', `import ${modules}`]).status === 0);
