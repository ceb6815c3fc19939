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

const ENTRY_FIELDS = ['title', 'citation', 'licence', 'release', 'columns', 'recode'] as const;

export function catalogEdits(before: Country, after: Country, accepted: Source, updated: Source): Edit[] {
  const sourceIndex = before.sources.indexOf(accepted);
  const edits: Edit[] = [];
  const addEdit: AddEdit = (pathInEntry, oldValue, newValue, field = pathInEntry.join('.')) => {
    if (JSON.stringify(oldValue) === JSON.stringify(newValue)) return;
    edits.push({
      file: 'sources.json',
      field: `${accepted.id} ${field}`,
      path: ['sources', sourceIndex, ...pathInEntry],
      was: oldValue,
      value: newValue,
    });
  };
  if (accepted.files.length === 0) addEdit([], undefined, updated, 'entry');
  else addEntryEdits(accepted, updated, addEdit);
  for (const name of ['last_estimated', 'updated_at'] as const) {
    const [oldValue, newValue] = [before.model[name], after.model[name]];
    if (oldValue !== newValue)
      edits.push({ file: 'model.json', field: name, path: [name], was: oldValue, value: newValue });
  }
  return edits;
}

type AddEdit = (pathInEntry: (string | number)[], oldValue: unknown, newValue: unknown, field?: string) => void;

function addEntryEdits(accepted: Source, updated: Source, addEdit: AddEdit): void {
  for (const name of ENTRY_FIELDS) addEdit([name], accepted[name], updated[name]);
  for (const end of ['first', 'last'] as const) addEdit(['span', end], accepted.span?.[end], updated.span?.[end]);
  if (updated.rounds) addEdit(['rounds'], accepted.rounds, updated.rounds);
  for (const [fileIndex, file] of updated.files.entries()) {
    const acceptedFile = accepted.files[fileIndex];
    if (acceptedFile && (['path', 'sha256', 'year'] as const).every((name) => acceptedFile[name] === file[name]))
      continue;
    if (!acceptedFile) addEdit(['files', fileIndex], undefined, file, `files, ${file.path}`);
    else
      for (const name of ['path', 'rows', 'bytes', 'sha256', 'year'] as const)
        addEdit(['files', fileIndex, name], acceptedFile[name], file[name], `files, ${acceptedFile.path}, ${name}`);
  }
}
