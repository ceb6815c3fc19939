/** What countries call the areas of a level. */
export interface AreaTerm {
  one: string;
  many: string;
}

/** Terms in English, with the same in the languages of raw files, in lower case without accents, blanks and hyphens. */
export const AREA_TERMS: readonly (AreaTerm & { words: readonly string[] })[] = [
  { one: 'region', many: 'regions', words: ['region', 'regions', 'regiao'] },
  { one: 'sub-region', many: 'sub-regions', words: ['subregion', 'subregions'] },
  { one: 'province', many: 'provinces', words: ['province', 'provinces', 'provincia'] },
  { one: 'department', many: 'departments', words: ['department', 'departments', 'departement', 'departamento'] },
  { one: 'county', many: 'counties', words: ['county', 'counties'] },
  { one: 'district', many: 'districts', words: ['district', 'districts', 'distrito'] },
  { one: 'commune', many: 'communes', words: ['commune', 'communes', 'comuna'] },
  { one: 'municipality', many: 'municipalities', words: ['municipality', 'municipalite', 'municipio'] },
  { one: 'prefecture', many: 'prefectures', words: ['prefecture', 'prefectures'] },
  { one: 'zone', many: 'zones', words: ['zone', 'zones', 'zona'] },
  { one: 'state', many: 'states', words: ['state', 'states', 'etat', 'estado'] },
  { one: 'cercle', many: 'cercles', words: ['cercle', 'cercles'] },
];
