/** The code of an area whose name was sent instead: names are the snapshot's, so that no error repeats a request. */
import { ERRORS } from '../../pipeline/contract/errors.ts';
import type { Places } from '../../pipeline/contract/schemas.ts';
import { plainName } from '../../pipeline/lib/name-similarity.ts';
import { readUncompressed, type Snapshot } from '../snapshot/snapshot.ts';

/** For each plain name, the codes of the areas that have it, with their names as the snapshot writes them. */
type CodesByName = ReadonlyMap<string, readonly string[]>;
type Level = 'state' | 'lga';

/** More areas of the same name are not listed. */
const MAX_CODES = 5;

const cache = new WeakMap<Snapshot['files'], Promise<Record<Level, CodesByName>>>();

/** The detail of an unknown `level` whose parameter was `value`: with the code if `value` is a name of /v1/places. */
export async function placeDetail({ files }: Snapshot, level: Level, value: unknown): Promise<string | undefined> {
  if (typeof value !== 'string') return undefined;
  const codesByName = cache.get(files) ?? readCodes(files);
  cache.set(files, codesByName);
  // A places file that is damaged is reported when it is asked for.
  const codes = (await codesByName.catch(() => null))?.[level].get(plainName(value)) ?? [];
  if (codes.length === 0 || codes.length > MAX_CODES) return undefined;
  const { detail } = ERRORS[level === 'state' ? 'UNKNOWN_STATE' : 'UNKNOWN_LGA'];
  return `${detail.replace(/\.$/, '')}: ${codes.join(', ')}.`;
}

async function readCodes(files: Snapshot['files']): Promise<Record<Level, CodesByName>> {
  const bytes = await readUncompressed(files.get('v1/places.json'));
  const { states, lgas }: Places = bytes ? JSON.parse(String(bytes)) : { states: [], lgas: [] };
  const codesByName = (areas: readonly { code: string; name: string; aliases: readonly string[] }[]): CodesByName => {
    const pairs = areas.flatMap(({ code, name, aliases }) =>
      [...new Set([code, name, ...aliases].map(plainName))].map((plain) => [plain, `${code} for ${name}`] as const),
    );
    const groups = Map.groupBy(pairs, ([plain]) => plain);
    return new Map([...groups].map(([plain, group]) => [plain, group.map(([, code]) => code)]));
  };
  return {
    state: codesByName(states.map(({ state_code, state, aliases }) => ({ code: state_code, name: state, aliases }))),
    lga: codesByName(lgas.map(({ lga_code, lga, aliases }) => ({ code: lga_code, name: lga, aliases }))),
  };
}
