/** All tabs of the tiny country's report. */
import path from 'node:path';
import { describe, inject } from 'vitest';
import { reportQuestions } from '../../../support/report-questions.ts';

describe('the report of the tiny country', () => {
  reportQuestions(() => path.join(inject('builtTiny'), 'current'));
});
