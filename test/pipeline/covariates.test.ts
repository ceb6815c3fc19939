import { expect, test } from 'vitest';
import { buildHere, readJson } from '../support/built-tiny.ts';
import { writeTiny } from '../support/tiny-country.ts';
import { addCovariate, heightCovariate } from './covariates.ts';

test('a raster and a table by state become covariates by catalog alone, with effects and findings; net use is refused', async () => {
  const country = writeTiny((tiny) => {
    tiny.model.parameters.risk.score = 'spatial';
    heightCovariate({ transform: 'log', square: true })(tiny);
    tiny.files['x.csv'] = 'state,x\nNG001,4\nNG002,9\n';
    const columns = { state_pcode: 'state', value: 'x' };
    const files = [{ path: 'x.csv', rows: 2 }];
    addCovariate({ id: 'wealth', format: 'csv', columns, files }, { transform: 'log1p' })(tiny);
  });
  const { snapshot, ran, out } = await buildHere(country.directory);
  // Stages that do not use covariates do not run again.
  expect(ran.filter((stage) => ['season', 'survey', 'boundaries', 'transmission'].includes(stage))).toEqual([]);

  const { validation } = readJson(snapshot, 'model-card.json');
  expect(validation.covariates.map((effect: { covariate: string }) => effect.covariate)).toEqual(['height', 'wealth']);
  for (const { folds, log_score } of validation.covariates) {
    expect(folds).toBe(4);
    expect(log_score.mean).not.toBe(0);
    expect(log_score.standard_error).toBeGreaterThan(0);
  }
  const findings: { source: string; rule: string; what: string }[] = readJson(snapshot, 'findings.json');
  expect(findings.filter(({ rule }) => rule === 'covariate').map(({ source }) => source)).toEqual(['height', 'wealth']);

  const nets = writeTiny((tiny) => {
    tiny.files['x.csv'] = String(tiny.files['nets.csv']);
    addCovariate({ id: 'wealth', format: 'csv', columns: { lga_pcode: 'lga', value: 'use' } })(tiny);
  });
  await expect(buildHere(nets.directory, out)).rejects.toThrow(
    'source wealth: found the file of itn_use, nets.csv, as a covariate, expected a different source: net use, ' +
      'net access, spraying and treatment are modelled estimates shown as context; not inputs to the risk score',
  );
});
