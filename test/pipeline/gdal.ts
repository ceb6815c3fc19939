import { execFileSync, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { openRaster } from '../../pipeline/ingest/readers/geotiff.ts';

export const HAS_GDAL = spawnSync('gdal_translate', ['--version']).status === 0;
/** Title of a test that needs GDAL's programs; states why the test is skipped if they are missing. */
export const needsGdal = (title: string) => (HAS_GDAL ? title : `${title} (skipped: no gdal-bin here)`);

/** Runs a command of a shell in the folder of a file, as a person does who copies it from a message. */
export function runBeside(file: string, command: string): void {
  execFileSync('sh', ['-c', command], { cwd: dirname(file), stdio: 'pipe' });
}

const COMMAND =
  /(?:with:? |: )((?:gdal_translate|gdalwarp|ogr2ogr|Rscript) .*?)(?= \((?:GDAL|and the name|or use)|; if| for each|$)/g;
/** The commands that a message proposes, in its order. */
export const commandsIn = (message: string): string[] => [...message.matchAll(COMMAND)].map(([, command]) => command!);

/** All values of a raster, row by row. */
export async function readAll(file: string, declared: Parameters<typeof openRaster>[1] = {}): Promise<number[]> {
  const raster = await openRaster(file, declared);
  try {
    const { rows, columns } = raster.grid;
    return [...(await raster.readWindow({ row: 0, column: 0, rows, columns }))];
  } finally {
    await raster.close();
  }
}

/** The message of the error that a promise ends with. */
export async function messageOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => {
      throw new Error('no error');
    },
    (error: Error) => error.message,
  );
}
