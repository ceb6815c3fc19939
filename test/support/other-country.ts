import { topology } from 'topojson-server';
import type { Territory } from '../../pipeline/contract/territory.ts';
import { type TinyCountry, tinyCountry } from './tiny-country.ts';

/**
 * Departments and communes with numeric codes, below regions that the service does not use; no zones, no Nigerian term.
 */
export const OTHER: Territory = {
  iso_code: 'XX',
  language: 'fr',
  state: {
    one: 'department',
    many: 'departments',
    code: '^[0-9]{2}$',
    code_is: 'Number of the department',
    example: '07',
  },
  lga: { one: 'commune', many: 'communes', code: '^[0-9]{4}$', code_is: 'number of the commune', example: '1201' },
  iso_3166_2: false,
  ages_months: [6, 59],
  method: 'microscopy, or where that is missing by rapid test',
  model_pages: false,
};

const csv = (rows: (string | number)[][]) => `${rows.map((row) => row.join(',')).join('\n')}\n`;
/** Communes whose codes do not start with the department's code. */
const COMMUNES = [
  { code: '1201', name: 'Aval', state: '07' },
  { code: '0702', name: 'Bois-Haut', state: '07' },
  { code: '3303', name: 'Côte', state: '12' },
  { code: '0704', name: "L'Étang", state: '12' },
];

/**
 * The tiny country's territory without any of Nigeria's conventions: TopoJSON outlines without codes, a table of codes
 * by name, two test methods by year and cluster, one cluster in the sea; no rain, cases, census, elevation, outlines of
 * the upper level, or coverage figures.
 */
export function otherCountry(): TinyCountry {
  const country = tinyCountry();
  const { files } = country;
  const outlines = JSON.parse(String(files['lgas.geojson']));
  outlines.features.forEach((feature: { properties: object }, i: number) => {
    feature.properties = { shapeName: COMMUNES[i]!.name };
  });
  files['communes.topojson'] = JSON.stringify(topology({ communes: outlines }, 1e5));
  // The catalog uses two of three levels. The region has the name of one of its departments and the code of a commune.
  files['codes.csv'] = csv([
    ['nom', 'code', 'dep', 'reg', 'nom_reg'],
    ...COMMUNES.map(({ code, name, state }) => [name, code, state, '1201', 'Littoral']),
  ]);
  const cluster = (id: string, year: number, month: number, i: number, method: string, positive: number, west = 0) => [
    id,
    year,
    month,
    (3.5 + i - west).toFixed(3),
    4.5,
    'UNKNOWN',
    0.5,
    4.9,
    method,
    20,
    positive,
  ];
  files['points.csv'] = csv([
    ['id', 'an', 'mois', 'lon', 'lat', 'milieu', 'min', 'max', 'test', 'n', 'pf'],
    ...COMMUNES.flatMap((_, i) => [
      ...[1, 2, 3].map((k) => cluster(`a${i}${k}`, 2018, 4, i, 'MICRO', i + k)),
      ...[1, 2, 3].map((k) => cluster(`b${i}${k}`, 2021, 5, i, 'TDR', i + k + 1)),
    ]),
    // Tested by both methods: microscopy is used. 2 km off the coast. Adults: left out.
    cluster('a01', 2018, 4, 0, 'TDR', 9),
    cluster('mer', 2018, 4, 0, 'MICRO', 2, 0.518),
    ['adultes', 2018, 4, 3.5, 4.5, 'RURAL', 15, 49, 'MICRO', 20, 8],
  ]);
  const about = { title: 'made for a test', producer: 'test', citation: 'test', licence: 'CC0-1.0', release: '1' };
  country.sources = [
    {
      id: 'communes',
      role: 'lga_boundaries',
      ...about,
      format: 'topojson',
      unit: 'degrees',
      columns: { lga: 'shapeName' },
      files: [{ path: 'communes.topojson' }],
    },
    {
      id: 'codes',
      role: 'lga_codes',
      ...about,
      format: 'csv',
      unit: 'codes',
      columns: { lga: 'nom', lga_pcode: 'code', state_pcode: 'dep' },
      files: [{ path: 'codes.csv', rows: 4 }],
    },
    country.sources.find(({ id }) => id === 'population')!,
    {
      id: 'points',
      role: 'survey_clusters',
      ...about,
      format: 'csv',
      unit: 'share',
      displaced: true,
      columns: {
        survey_year: 'an',
        year: 'an',
        month: 'mois',
        cluster_id: 'id',
        longitude: 'lon',
        latitude: 'lat',
        urban: 'milieu',
        youngest_years: 'min',
        oldest_years: 'max',
        method: 'test',
        examined: 'n',
        positive: 'pf',
      },
      methods: { microscopy: 'MICRO', rdt: 'TDR' },
      rounds: [
        { survey_year: 2018, first: '2018-04', last: '2018-04' },
        { survey_year: 2021, first: '2021-05', last: '2021-05' },
      ],
      files: [{ path: 'points.csv', rows: 27 }],
    },
  ];
  const { parameters } = country.model;
  Object.assign(country.model, {
    country: 'ailleurs',
    name: 'Ailleurs',
    territory: OTHER,
    first_estimated: '2020-01',
    last_estimated: '2021-12',
    extent: [2.4, 4, 7, 5],
    states: [
      { state_pcode: '07', state_code: '07', state: 'Amont' },
      { state_pcode: '12', state_code: '12', state: 'Littoral' },
    ],
    parameters: {
      ...parameters,
      survey: { ...parameters.survey, method: ['microscopy', 'rdt'] },
      risk: {
        ...parameters.risk,
        score: 'spatial',
        season_unknown: { sd: 0.5, source: 'test' },
        test_offset: { mean: 0.5, sd: 0.5, source: 'test' },
      },
    },
  });
  return country;
}
