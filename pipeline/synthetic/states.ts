import type { Territory } from '../contract/territory.ts';

/**
 * What the made-up country shares with Nigeria: names, codes, zones and LGA counts of states; the rest is approximate.
 */
export interface StateRecipe {
  state_pcode: string;
  state_code: string;
  state: string;
  zone: string;
  lgas: number;
  /** Centre from which the state grows, degrees. */
  longitude: number;
  latitude: number;
  /** Relative to the other states. */
  area: number;
  /** Relative to the other states. */
  people: number;
}

/** Areas have Nigeria's names and codes, so answers have the same form as Nigeria's. */
export const TERRITORY: Territory = {
  iso_code: 'NG',
  language: 'en',
  state: {
    one: 'state',
    many: 'states',
    code: '^[A-Z]{2}$',
    code_is: 'Two-letter state code (ISO 3166-2:NG)',
    example: 'KN',
  },
  lga: {
    one: 'LGA',
    many: 'LGAs',
    full: 'local government area',
    code: '^[A-Za-z0-9]+$',
    code_is: 'OCHA p-code',
    example: 'NG020029',
  },
  iso_3166_2: true,
  zones: {
    one: 'Geopolitical zone',
    names: {
      NC: 'North Central',
      NE: 'North East',
      NW: 'North West',
      SE: 'South East',
      SS: 'South South',
      SW: 'South West',
    },
  },
  ages_months: [6, 59],
  method: 'microscopy',
  model_pages: true,
};

/**
 * In alphabetical order, which is the order of the p-codes. Columns: code, zone, LGAs, longitude, latitude, area,
 * people.
 */
const TABLE: [string, string, string, number, number, number, number, number][] = [
  ['Abia', 'AB', 'SE', 17, 7.5, 5.5, 5, 3.8],
  ['Adamawa', 'AD', 'NE', 21, 12.4, 9.3, 38, 4.5],
  ['Akwa Ibom', 'AK', 'SS', 31, 7.8, 4.9, 7, 4.8],
  ['Anambra', 'AN', 'SE', 21, 6.9, 6.2, 5, 5.6],
  ['Bauchi', 'BA', 'NE', 20, 10.0, 10.8, 49, 7.2],
  ['Bayelsa', 'BY', 'SS', 8, 6.1, 4.8, 10, 2.5],
  ['Benue', 'BE', 'NC', 23, 8.8, 7.3, 32, 6],
  ['Borno', 'BO', 'NE', 27, 13.2, 11.9, 73, 5.9],
  ['Cross River', 'CR', 'SS', 18, 8.6, 5.9, 21, 4.2],
  ['Delta', 'DE', 'SS', 25, 5.9, 5.7, 17, 5.3],
  ['Ebonyi', 'EB', 'SE', 13, 8.0, 6.3, 6, 3],
  ['Edo', 'ED', 'SS', 18, 5.9, 6.6, 20, 4.5],
  ['Ekiti', 'EK', 'SW', 16, 5.3, 7.7, 6, 3.4],
  ['Enugu', 'EN', 'SE', 17, 7.4, 6.5, 8, 4.6],
  ['Federal Capital Territory', 'FC', 'NC', 6, 7.2, 8.9, 7, 3.2],
  ['Gombe', 'GO', 'NE', 11, 11.2, 10.4, 18, 3.7],
  ['Imo', 'IM', 'SE', 27, 7.1, 5.6, 5, 5.4],
  ['Jigawa', 'JI', 'NW', 27, 9.6, 12.2, 23, 6.8],
  ['Kaduna', 'KD', 'NW', 23, 7.7, 10.4, 44, 8.7],
  ['Kano', 'KN', 'NW', 44, 8.5, 11.7, 20, 14],
  ['Katsina', 'KT', 'NW', 34, 7.6, 12.4, 24, 9.5],
  ['Kebbi', 'KE', 'NW', 21, 4.5, 11.7, 37, 5.1],
  ['Kogi', 'KO', 'NC', 21, 6.7, 7.7, 29, 4.4],
  ['Kwara', 'KW', 'NC', 16, 4.4, 9.0, 34, 3.4],
  ['Lagos', 'LA', 'SW', 20, 3.6, 6.5, 4, 12.8],
  ['Nasarawa', 'NA', 'NC', 13, 8.2, 8.5, 27, 2.7],
  ['Niger', 'NI', 'NC', 25, 5.6, 9.9, 72, 6.2],
  ['Ogun', 'OG', 'SW', 20, 3.5, 7.0, 17, 6],
  ['Ondo', 'ON', 'SW', 18, 5.2, 6.9, 15, 4.8],
  ['Osun', 'OS', 'SW', 30, 4.5, 7.6, 9, 4.5],
  ['Oyo', 'OY', 'SW', 33, 3.6, 8.2, 28, 7.5],
  ['Plateau', 'PL', 'NC', 17, 9.5, 9.2, 27, 4.5],
  ['Rivers', 'RI', 'SS', 23, 6.9, 4.8, 10, 7.2],
  ['Sokoto', 'SO', 'NW', 23, 5.3, 13.0, 32, 6],
  ['Taraba', 'TA', 'NE', 16, 10.8, 8.0, 59, 3.3],
  ['Yobe', 'YO', 'NE', 17, 11.4, 12.3, 45, 3.6],
  ['Zamfara', 'ZA', 'NW', 14, 6.2, 12.1, 34, 5.4],
];

export const STATES: StateRecipe[] = TABLE.map(
  ([state, state_code, zone, lgas, longitude, latitude, area, people], i) => ({
    state_pcode: `NG${String(i + 1).padStart(3, '0')}`,
    state_code,
    state,
    zone,
    lgas,
    longitude,
    latitude,
    area,
    people,
  }),
);
