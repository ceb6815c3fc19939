import type { StageRun } from '../../catalog/country-stage.ts';
import type { Polygons } from '../../ingest/ingest-tables.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { censusOfRaster } from '../../ingest/people-by-year.ts';
import { readAreas } from '../../ingest/read-areas.ts';
import * as zonal from '../zonal/zonal-tables.ts';
import { listDoubts } from './checks.ts';

/** Finds what is valid row by row and hard to believe as a whole. It passes nothing on but its findings. */
export const run: StageRun = async (io) => ({
  report: listDoubts({
    areas: readAreas(io),
    neighbours: io.artifact<Polygons>('ingest/polygons').neighbours,
    climate: [...io.table(ingest.CLIMATE), ...io.table(zonal.CLIMATE)],
    gridded: io.table(zonal.CLIMATE).length > 0,
    surveys: io.table(ingest.SURVEY_ROWS),
    cases: io.table(ingest.CASES),
    census: censusOfRaster(io.table(ingest.CENSUS), io.table(ingest.PEOPLE), io.table(zonal.PEOPLE), io.sources),
    layers: io.table(ingest.LAYERS),
    people: new Map(io.table(zonal.LGAS).map(({ lga_code, population }) => [lga_code, population])),
  }),
});
