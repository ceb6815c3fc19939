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

export function catalogEdits(
  countryBefore: Country,
  countryAfter: Country,
  acceptedSource: Source,
  updatedSource: Source,
): Edit[] {
  const sourceIndex = countryBefore.sources.indexOf(acceptedSource);
  const edits: Edit[] = [];
  const addEdit = (
    pathInEntry: (string | number)[],
    oldValue: unknown,
    newValue: unknown,
    field = pathInEntry.join('.'),
  ) => {
    if (JSON.stringify(oldValue) === JSON.stringify(newValue)) return;
    edits.push({
      file: 'sources.json',
      field: `${acceptedSource.id} ${field}`,
      path: ['sources', sourceIndex, ...pathInEntry],
      was: oldValue,
      value: newValue,
    });
  };
  for (const name of ENTRY_FIELDS) addEdit([name], acceptedSource[name], updatedSource[name]);
  for (const end of ['first', 'last'] as const)
    addEdit(['span', end], acceptedSource.span?.[end], updatedSource.span?.[end]);
  if (updatedSource.rounds) addEdit(['rounds'], acceptedSource.rounds, updatedSource.rounds);
  updatedSource.files.forEach((file, fileIndex) => {
    const acceptedFile = acceptedSource.files[fileIndex];
    if (!acceptedFile) return addEdit(['files', fileIndex], undefined, file, `files, ${file.path}`);
    if (acceptedFile.sha256 === file.sha256) return;
    for (const name of ['rows', 'bytes', 'sha256'] as const)
      addEdit(['files', fileIndex, name], acceptedFile[name], file[name], `files, ${file.path}, ${name}`);
  });
  for (const name of ['last_estimated', 'updated_at'] as const) {
    const [oldValue, newValue] = [countryBefore.model[name], countryAfter.model[name]];
    if (oldValue !== newValue)
      edits.push({ file: 'model.json', field: name, path: [name], was: oldValue, value: newValue });
  }
  return edits;
}
