import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** First word of a WAL-index in the one format there is (sqlite.org/walformat.html, 2.3.1), in the machine's order. */
const WAL_INDEX_VERSION = 3_007_000;
const HEADER_BYTES = 48;
/** Where files read and files mapped are the same memory, as the counter needs. */
const COHERENT = ['linux', 'darwin'];

/** Tells whether anything was committed to a database since it was last asked, by any connection of any process. */
export interface CommitCounter {
  /** True also where that cannot be told. */
  changed(): boolean;
  /** To be called after the database is closed. */
  close(): void;
}

/**
 * The counter of `db`, an open database in WAL mode at `file`. It reads the header of the WAL-index (`-shm`), shared
 * memory that SQLite rewrites with every commit before the commit returns: its change counter, and its checksum, which
 * covers the counter, the log's length and salts and its frames' checksum. That is what `PRAGMA data_version` looks at
 * too, at a third of the cost; where the header is not to be read, the pragma is asked.
 *
 * A header read while a writer is at it is neither what it was nor what it will be, so the next question is answered by
 * yes once more.
 */
export function openCommitCounter(db: DatabaseSync, file: string): CommitCounter {
  const words = new Uint32Array(HEADER_BYTES / 4);
  const bytes = new Uint8Array(words.buffer);
  const index = COHERENT.includes(process.platform) ? openShared(`${file}-shm`) : null;
  if (!index) return pragmaCounter(db);
  const read = () => readSync(index.fd, bytes, 0, HEADER_BYTES, 0);
  if (read() !== HEADER_BYTES || words[0] !== WAL_INDEX_VERSION) {
    return { ...pragmaCounter(db), close: index.close };
  }
  const tryRead = () => {
    try {
      return read() === HEADER_BYTES;
    } catch {
      return false;
    }
  };
  let [changes, sum0, sum1] = [-1, 0, 0];
  return {
    changed() {
      if (!tryRead()) return true;
      if (words[2] === changes && words[10] === sum0 && words[11] === sum1) return false;
      [changes, sum0, sum1] = [words[2]!, words[10]!, words[11]!];
      return true;
    },
    close: index.close,
  };
}

function pragmaCounter(db: DatabaseSync): CommitCounter {
  const readVersion = db.prepare('PRAGMA data_version');
  let known: unknown;
  return {
    changed() {
      try {
        const version = readVersion.get()!.data_version;
        if (version === known) return false;
        known = version;
      } catch {
        // Whatever it is, whoever reads the database next meets it too.
      }
      return true;
    },
    close() {},
  };
}

const open = new Map<string, { fd: number; users: number }>();

/**
 * `path` opened once a process however many ask, and closed when the last is done. SQLite's locks are the process's own
 * (POSIX), and closing any descriptor of a file drops them all, another connection's in this process too.
 */
function openShared(path: string): { fd: number; close: () => void } | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  const inode = `${found.dev}:${found.ino}`;
  const file = open.get(inode) ?? { fd: openSync(path, 'r'), users: 0 };
  file.users++;
  open.set(inode, file);
  return {
    fd: file.fd,
    close: () => {
      if (--file.users > 0) return;
      open.delete(inode);
      closeSync(file.fd);
    },
  };
}
