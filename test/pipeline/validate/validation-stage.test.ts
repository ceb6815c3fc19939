import { expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import type { StageRun } from '../../../pipeline/catalog/country-stage.ts';
import { run as ingest } from '../../../pipeline/ingest/ingest-stage.ts';
import { run as zonal } from '../../../pipeline/measure/zonal/zonal-stage.ts';
import { run as risk } from '../../../pipeline/model/risk/risk-stage.ts';
import type { Validation } from '../../../pipeline/validate/validation.ts';
import { run as validation } from '../../../pipeline/validate/validation-stage.ts';
import { ioOf } from '../../support/stage-io.ts';
import { LGAS, sourceIn, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';

const seasonal_index = [0.4, 0.3, 0.3, 0.3, 0.4, 0.5, 0.7, 0.9, 1, 1, 0.8, 0.6];

/** Builds the tiny country up to its validation. */
async function validate(change: (country: TinyCountry) => void) {
  const country = readCountry(writeTiny(change).directory);
  const artifacts: Record<string, unknown> = {
    'season/lgas': LGAS.flatMap((lga_code) => seasonal_index.map((index) => ({ lga_code, seasonal_index: index }))),
    'season/check': [],
  };
  const { rawData, sources, model } = country;
  const stages: [string, StageRun][] = [
    ['ingest', ingest],
    ['zonal', zonal],
    ['risk', risk],
    ['validation', validation],
  ];
  for (const [stage, run] of stages)
    for (const [name, value] of Object.entries(await run(ioOf(artifacts, { rawData, sources, model }))))
      artifacts[`${stage}/${name}`] = JSON.parse(JSON.stringify(value));
  return {
    scores: artifacts['validation/scores'] as Validation | null,
    report: artifacts['validation/report'] as { what: string }[],
  };
}

test('either score of the tiny country is validated on all its clusters, with each LGA as a block and a fold', async () => {
  for (const score of ['spatial', 'baseline'] as const) {
    const { scores, report } = await validate((country) => {
      country.model.parameters.risk.score = score;
    });
    expect(scores!.score).toBe(score);
    expect(scores!.folds.map(({ cells }) => cells)).toEqual([6, 6, 6, 6]);
    expect(scores!.scores.map(({ model, survey_year, cells }) => `${model} ${survey_year} ${cells}`)).toEqual([
      'spatial null 24',
      'spatial 2018 12',
      'spatial 2021 12',
      'baseline null 24',
      'baseline 2018 12',
      'baseline 2021 12',
      'national null 24',
      'national 2018 12',
      'national 2021 12',
    ]);
    expect(report[0]!.what).toContain(`The score is the ${score === 'spatial' ? 'spatial model' : 'baseline'}'s`);
  }
});

test('surveys of a single place leave nothing to hold out, which is reported', async () => {
  const { scores, report } = await validate((country) => {
    const [header, ...rows] = String(country.files['surveys.csv']).trim().split('\n');
    const kept = rows.filter((row) => row.includes(LGAS[0]));
    country.files['surveys.csv'] = `${[header, ...kept].join('\n')}\n`;
    sourceIn(country, 'surveys').files[0].rows = kept.length;
  });
  expect(scores).toBeNull();
  expect(report[0]!.what).toContain('no place can be predicted from others');
});
