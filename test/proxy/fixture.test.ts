import { Check, Errors } from 'typebox/value';
import { expect, test } from 'vitest';
import { OPERATIONS, operationFiles } from '../../pipeline/contract/operations.ts';
import { COVERAGE, fixtureFiles } from '../support/proxy/fixture.ts';

test('the fixture contains exactly the files of its coverage, each matching its schema', () => {
  const files = fixtureFiles();
  expect(files.map(({ file }) => file).sort()).toEqual(
    OPERATIONS.flatMap((operation) => operationFiles(operation, COVERAGE)).sort(),
  );
  for (const { operation, file, text } of files) {
    if (!operation.response) continue;
    const body = JSON.parse(text);
    if (!Check(operation.response, body))
      throw new Error(`${file}: ${JSON.stringify(Errors(operation.response, body)[0])}`);
  }
});
