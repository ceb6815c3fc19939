/** What the system says when it will not write or read, in words that tell what to do about it. */
const SYSTEM: Record<string, string> = {
  ENOSPC: 'no space left on the disk; make room and run it again, what is published is as it was',
  EDQUOT: 'the disk quota is used up; make room and run it again, what is published is as it was',
  EFBIG: 'a file would grow larger than allowed here (ulimit -f); what is published is as it was',
  EROFS: 'the disk is read-only; expected one that can be written to',
  EACCES: 'no permission; expected to be allowed to write there',
  EPERM: 'no permission; expected to be allowed to write there',
  EMFILE: 'too many open files; raise the limit (ulimit -n)',
  ENOTDIR: 'a file is where a directory should be',
  EIO: 'the disk failed; what is published is as it was',
};

/** One line for an error, whatever threw it. */
export function lineOf(error: Error): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : SYSTEM[code];
  if (known) return `${path ? `${path}: ` : ''}${known} (${code})`;
  return message.split('\n')[0]!;
}
