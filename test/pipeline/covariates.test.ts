import { expect, test } from 'vitest';
import { buildHere, readJson } from '../support/built-tiny.ts';
import { writeTiny } from '../support/tiny-country.ts';
import { addCovariate, heightCovariate } from './covariates.ts';
import { raster } from './ingest/broken.ts';

test('a raster, a monthly table and yearly rasters become covariates by catalog alone, with effects and findings; net use is refused', async () => {
  const country = writeTiny((tiny) => {
    tiny.model.parameters.risk.score = 'spatial';
    heightCovariate({ transform: 'log', square: true })(tiny);
    const rain = { id: 'rain', format: 'csv', columns: { lga_pcode: 'lga', period: 'month', value: 'mm' } };
    addCovariate(
      { ...rain, span: { first: '2018-01', last: '2021-12' }, files: [{ path: 'climate.csv', rows: 4 * 48 }] },
      { transform: 'log1p', time: 'each', lag_months: 2 },
    )(tiny);
    const years = [2018, 2021].map((year) => ({ path: `evi.${year}.tif`, year }));
    const index = { format: 'geotiff', crs: 'EPSG:4326', nodata: 'none', range: [0, 100] };
    addCovariate({ id: 'evi', ...index, files: years }, { time: 'departure' })(tiny);
    years.forEach(({ path }, k) => void raster(path, (i) => (k === 0 ? i % 80 : 80 - (i % 80)))(tiny));
  });
  const { snapshot, ran, out } = await buildHere(country.directory);
  // Stages that do not use covariates do not run again.
  expect(ran.filter((stage) => ['season', 'survey', 'boundaries', 'transmission'].includes(stage))).toEqual([]);

  const { validation } = readJson(snapshot, 'model-card.json');
  expect(validation.covariates.map((effect: { covariate: string }) => effect.covariate)).toEqual([
    'height',
    'rain',
    'evi',
  ]);
  for (const { folds, log_score } of validation.covariates) {
    expect(folds).toBe(4);
    expect(log_score.mean).not.toBe(0);
    expect(log_score.standard_error).toBeGreaterThan(0);
  }
  const findings: { source: string; rule: string; what: string }[] = readJson(snapshot, 'findings.json');
  expect(findings.filter(({ rule }) => rule === 'covariate').map(({ source }) => source)).toEqual([
    'height',
    'rain',
    'evi',
  ]);

  const nets = writeTiny((tiny) => {
    tiny.files['x.csv'] = String(tiny.files['nets.csv']);
    addCovariate({ id: 'wealth', format: 'csv', columns: { lga_pcode: 'lga', value: 'use' } })(tiny);
  });
  await expect(buildHere(nets.directory, out)).rejects.toThrow(
    'source wealth: found the file of itn_use, nets.csv, as a covariate, expected a different source: net use, ' +
      'net access, spraying and treatment are modelled estimates shown as context; not inputs to the risk score',
  );
});
