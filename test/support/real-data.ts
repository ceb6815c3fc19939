import { existsSync } from 'node:fs';
import path from 'node:path';

/** Directory of the real files, beside the checkout; they are never part of it. */
const SHARED = path.resolve(import.meta.dirname, '../../../shared');
export const REAL_DATA = path.join(SHARED, 'raw-data/nigeria');
export const REFERENCE = path.join(SHARED, 'reference');
/** The committed catalog of the real files. */
export const REAL_CATALOG = path.resolve(import.meta.dirname, '../../raw-data/nigeria');

export const HAS_REAL_DATA = existsSync(REAL_DATA) && existsSync(REFERENCE);
/** Title of a test that needs the real files; states why the test is skipped if they are missing. */
export const needsReal = (title: string) =>
  HAS_REAL_DATA ? title : `${title} (skipped: no ../shared/raw-data/nigeria beside the checkout)`;

/** The second country's files and catalog. */
export const MADAGASCAR_DATA = path.join(SHARED, 'raw-data/madagascar');
export const MADAGASCAR_CATALOG = path.resolve(import.meta.dirname, '../../raw-data/madagascar');
export const HAS_MADAGASCAR = existsSync(MADAGASCAR_DATA);
export const needsMadagascar = (title: string) =>
  HAS_MADAGASCAR ? title : `${title} (skipped: no ../shared/raw-data/madagascar beside the checkout)`;
