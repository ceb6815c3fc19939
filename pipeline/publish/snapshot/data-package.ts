/**
 * The tables as a Frictionless Data Package (specs.frictionlessdata.io, version 1), a machine-readable description of
 * each CSV.
 */
import type { Licence } from '../../catalog/licences.ts';
import type { FileEntry } from '../../contract/manifest.ts';
import { TABLE_NAMES, TABLE_TYPES, tableFile, tableFormats } from '../../contract/table-list.ts';
import { type Contents, versionCitation } from './contents.ts';
import { countryTables, frictionlessSchema } from './table-columns.ts';

/** `tables/datapackage.json`. @param files the snapshot's files by name */
export function dataPackage(contents: Contents, files: Readonly<Record<string, FileEntry>>) {
  const { model, model_version, sources, licences } = contents;
  const definitions = countryTables(model.territory);
  return {
    profile: 'tabular-data-package',
    name: model_version,
    title: versionCitation(contents),
    version: model_version,
    created: model.updated_at,
    licenses: listLicences(licences.whole),
    sources: sources.map(({ title, citation }) => ({ title: `${title}: ${citation}` })),
    resources: TABLE_NAMES.flatMap((name) => {
      const file = tableFile(name, 'csv');
      const entry = files[file];
      if (!tableFormats(name).includes('csv') || !entry) return [];
      return [
        {
          profile: 'tabular-data-resource',
          name,
          path: `${name}.csv`,
          description: definitions[name].row,
          licenses: listLicences(licences.tables[name]),
          format: 'csv',
          mediatype: TABLE_TYPES.csv.split(';')[0],
          encoding: 'utf-8',
          bytes: entry.bytes,
          hash: `sha256:${entry.sha256}`,
          schema: frictionlessSchema(definitions[name]),
        },
      ];
    }),
  };
}

/** All hold at once. */
const listLicences = ({ spdx, may_publish }: Licence) =>
  spdx.split(' AND ').map((name) => ({ name, title: may_publish }));
