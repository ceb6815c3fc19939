import type { AnnexData } from '../../shared/annex-data.ts';
import { makeTestSuffix } from '../words.ts';

export const data: AnnexData = JSON.parse(document.getElementById('data')!.textContent!);

/** Element by an id that the annex's HTML has. */
export const elementById = (id: string): HTMLElement => document.getElementById(id)!;

/** ` by` and the test of a round; empty if it is the score's test. */
export const testSuffix = makeTestSuffix(data.other_tests);
