/** The report of the tiny country, asked all its questions. */
import path from 'node:path';
import { describe, inject } from 'vitest';
import { reportQuestions } from '../../../support/report-questions.ts';

describe('the report of the tiny country', () => {
  reportQuestions(() => path.join(inject('builtTiny'), 'current'));
});
