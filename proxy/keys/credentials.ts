/**
 * The key that a request presents, from its raw header list (`name, value, name, value, …`): `Authorization: Bearer
 * KEY` or `x-api-key: KEY`. Null where there is none, or where two differ. Read from the raw list because Node's
 * `headers` silently drops a second Authorization. Another scheme (Basic) is no key and is passed over.
 */
export function presentedKey(rawHeaders: readonly string[]): string | null {
  let found: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const key = keyIn(rawHeaders[i]!, rawHeaders[i + 1]!);
    if (key === null) continue;
    if (found !== null && found !== key) return null;
    found = key;
  }
  return found;
}

function keyIn(name: string, value: string): string | null {
  if (name.length === 9) return name === 'x-api-key' || name.toLowerCase() === 'x-api-key' ? value : null;
  if (name.length !== 13 || name.toLowerCase() !== 'authorization') return null;
  const bearer = /^bearer(?: +(.*))?$/i.exec(value);
  return bearer ? (bearer[1] ?? '') : null;
}
