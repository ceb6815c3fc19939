/** The languages that tests of clients need; their tests are skipped, with the reason in their titles, if one lacks. */
import { spawnSync } from 'node:child_process';
import { pythonWith } from '../../support/python.ts';

/** A Python with the packages that the client and its examples need. */
export const PYTHON = pythonWith('requests, pandas, geopandas, matplotlib');
export const TITLE_WITHOUT_PYTHON = PYTHON
  ? ''
  : ' (skipped: apt-get install python3-requests python3-geopandas python3-matplotlib)';

/** Whether there is an R with the packages that the client and its examples need. */
export const HAS_R =
  spawnSync('Rscript', ['-e', 'library(httr2); library(jsonlite); library(sf); library(stringi)']).status === 0;
export const TITLE_WITHOUT_R = HAS_R
  ? ''
  : ' (skipped: apt-get install r-cran-httr2 r-cran-jsonlite r-cran-sf r-cran-stringi)';
