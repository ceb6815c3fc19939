import { randomStream } from '../lib/numerics/random.ts';
import type { Cells } from './cells.ts';
import { drawMaternWaves, KM_PER_DEGREE_LATITUDE, KM_PER_DEGREE_LONGITUDE, type Waves } from './noise.ts';

/** A field as a sum of waves: at year k, Σ_j cosine[k][j] cos(ω_j · x) + sine[k][j] sin(ω_j · x), x in km. */
export interface Field extends Waves {
  first_year: number;
  cosine: number[][];
  sine: number[][];
}

export const FIELD_FIRST_YEAR = 2009;
const FIELD_LAST_YEAR = 2024;
const WAVES = 240;

/**
 * A Matérn field of variance 1 and smoothness 1. Its amplitudes are normal with variance 1 / waves and follow a
 * first-order autoregression from year to year.
 */
export function drawField(seed: number, name: string, range_km: number, year_correlation: number): Field {
  const random = randomStream(seed, name);
  const waves = drawMaternWaves(random, WAVES, range_km);
  const innovation = Math.sqrt(1 - year_correlation ** 2);
  const scale = 1 / Math.sqrt(WAVES);
  const drawAmplitudes = () => Array.from({ length: WAVES }, () => scale * random.normal());
  const nextAmplitudes = (amplitudes: number[]) =>
    amplitudes.map((amplitude) => year_correlation * amplitude + innovation * scale * random.normal());
  const cosine = [drawAmplitudes()];
  const sine = [drawAmplitudes()];
  for (let year = FIELD_FIRST_YEAR + 1; year <= FIELD_LAST_YEAR; year++) {
    cosine.push(nextAmplitudes(cosine.at(-1)!));
    sine.push(nextAmplitudes(sine.at(-1)!));
  }
  return { ...waves, first_year: FIELD_FIRST_YEAR, cosine, sine };
}

/** The field's values by year and cell. */
export function fieldByYear(field: Field, cells: Cells): Float64Array[] {
  const waves = field.frequency_x.length;
  const valuesByYear = field.cosine.map(() => new Float64Array(cells.lga_index.length));
  const amplitudes = field.cosine.map((cosine, k) => Float64Array.from([...cosine, ...field.sine[k]!]));
  const basis = new Float64Array(2 * waves);
  for (let i = 0; i < cells.lga_index.length; i++) {
    const x = cells.longitude[i]! * KM_PER_DEGREE_LONGITUDE;
    const y = cells.latitude[i]! * KM_PER_DEGREE_LATITUDE;
    for (let j = 0; j < waves; j++) {
      const angle = field.frequency_x[j]! * x + field.frequency_y[j]! * y;
      basis[j] = Math.cos(angle);
      basis[waves + j] = Math.sin(angle);
    }
    for (let k = 0; k < valuesByYear.length; k++) {
      const amplitude = amplitudes[k]!;
      let sum = 0;
      for (let j = 0; j < basis.length; j++) sum += amplitude[j]! * basis[j]!;
      valuesByYear[k]![i] = sum;
    }
  }
  return valuesByYear;
}
