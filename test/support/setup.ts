import { afterAll } from 'vitest';
import { removeTemporary } from './command-line.ts';

afterAll(removeTemporary);
