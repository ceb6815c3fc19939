/** The changes to the files of a catalog: the fields that differ, and their paths. */
import type { Country } from '../../catalog/country.ts';
import type { Source } from '../../catalog/sources.ts';
import type { JsonEdit } from './json-edits.ts';

export interface Edit extends JsonEdit {
  file: 'sources.json' | 'model.json';
  /** For display: `cases_states span.last`. */
  field: string;
  was: unknown;
}

const FIELDS = ['title', 'citation', 'licence', 'release'] as const;

export function entryEdits(before: Country, after: Country, accepted: Source, updated: Source): Edit[] {
  const index = before.sources.indexOf(accepted);
  const edits: Edit[] = [];
  const set = (steps: (string | number)[], then: unknown, now: unknown, field = steps.join('.')) => {
    if (JSON.stringify(then) === JSON.stringify(now)) return;
    edits.push({
      file: 'sources.json',
      field: `${accepted.id} ${field}`,
      path: ['sources', index, ...steps],
      was: then,
      value: now,
    });
  };
  for (const name of FIELDS) set([name], accepted[name], updated[name]);
  for (const name of ['columns', 'recode'] as const) set([name], accepted[name], updated[name]);
  for (const end of ['first', 'last'] as const) set(['span', end], accepted.span?.[end], updated.span?.[end]);
  if (updated.rounds) set(['rounds'], accepted.rounds, updated.rounds);
  updated.files.forEach((file, i) => {
    const then = accepted.files[i];
    if (!then) {
      set(['files', i], undefined, file, `files, ${file.path}`);
      return;
    }
    if (then.sha256 === file.sha256) return;
    for (const name of ['rows', 'bytes', 'sha256'] as const)
      set(['files', i, name], then[name], file[name], `files, ${file.path}, ${name}`);
  });
  for (const name of ['last_estimated', 'updated_at'] as const) {
    const [then, now] = [before.model[name], after.model[name]];
    if (then !== now) edits.push({ file: 'model.json', field: name, path: [name], was: then, value: now });
  }
  return edits;
}
