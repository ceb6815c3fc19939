/** Quotes a path for a shell, if it needs quotes. */
export const quoteForShell = (text: string) =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
