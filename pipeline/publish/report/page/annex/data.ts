import type { AnnexData } from '../../shared/annex-data.ts';
import { makeTestSuffix } from '../format.ts';

export const data: AnnexData = JSON.parse(document.getElementById('data')!.textContent!);

export const elementById = (id: string): HTMLElement => document.getElementById(id)!;

/** ` by` and the test of a round; empty if it is the score's test. */
export const testSuffix = makeTestSuffix(data.other_tests);
