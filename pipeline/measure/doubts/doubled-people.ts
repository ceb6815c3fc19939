import type { Source } from '../../catalog/sources.ts';
import type { Content, Doubt } from './content.ts';
export interface Doubled { at: string }
export const doubledPeople = ({ doubled }: Content): Doubt[] => doubled.map(({ at }) => ({ source: 'population', at }));
export async function findDoubled(_rawData: string, _source: Source): Promise<Doubled[]> { return []; }
