/**
 * Path and query of a request target, split by exact text and without normalising anything. The absolute form
 * (`GET http://host/path`), which every server must accept (RFC 9112, 3.2.2), loses its scheme and authority.
 */
export function splitTarget(target: string): { path: string; query: string } {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target);
  const rest = absolute ? target.slice(absolute[0].length) : target;
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return { path: absolute && path === '' ? '/' : path, query: mark < 0 ? '' : rest.slice(mark + 1) };
}

/**
 * The one value that `query` gives for `name`: undefined where the parameter is absent, null where it is given more
 * than once or is not valid percent-encoded UTF-8. An absent `=` is an empty value; a name that cannot be decoded is
 * an unknown parameter.
 */
export function readParameter(query: string, name: string): string | undefined | null {
  let value: string | undefined | null;
  for (const pair of query === '' ? [] : query.split('&')) {
    const equals = pair.indexOf('=');
    if (decodeComponent(equals < 0 ? pair : pair.slice(0, equals)) !== name) continue;
    if (value !== undefined) return null;
    value = equals < 0 ? '' : decodeComponent(pair.slice(equals + 1));
  }
  return value;
}

function decodeComponent(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
