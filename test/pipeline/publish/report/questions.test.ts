/** The report of the tiny country, asked all its questions. */
import path from 'node:path';
import { inject } from 'vitest';
import { reportQuestions } from '../../../support/report-questions.ts';

reportQuestions(() => path.join(inject('builtTiny'), 'current'));
