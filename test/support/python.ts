import { spawnSync } from 'node:child_process';

/** The first Python on PATH may lack the packages that are installed for Debian's. */
const CANDIDATES = ['python3', '/usr/bin/python3'];

/** The first installed Python that has all of these modules ('requests, pandas'); undefined if none has. */
export const pythonWith = (modules: string) =>
  CANDIDATES.find((python) => spawnSync(python, ['-c', `import ${modules}`]).status === 0);
