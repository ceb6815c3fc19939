import { sourceIn, type TinyCountry } from './tiny-country.ts';

/** Moves the codes and states of a tiny country's LGAs from the outlines to a table that lists them by name. */
export function pairedSources(country: TinyCountry): void {
  const outlines = JSON.parse(String(country.files['lgas.geojson'])) as {
    features: { properties: { pcode?: string; name: string; state?: string } }[];
  };
  const rows = outlines.features.map(({ properties: { pcode, name, state } }) => [name, pcode, state].join(','));
  country.files['codes.csv'] = `${['name,code,state', ...rows].join('\n')}\n`;
  for (const { properties } of outlines.features) {
    delete properties.pcode;
    delete properties.state;
  }
  country.files['lgas.geojson'] = JSON.stringify(outlines);
  const source = sourceIn(country, 'lga_boundaries');
  source.columns = { lga: 'name' };
  country.sources.push({
    ...source,
    id: 'codes',
    role: 'lga_codes',
    format: 'csv',
    unit: 'codes',
    columns: { lga: 'name', lga_pcode: 'code', state_pcode: 'state' },
    files: [{ path: 'codes.csv', rows: rows.length }],
  });
}
