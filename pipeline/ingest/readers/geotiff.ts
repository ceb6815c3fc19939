import { InputLocation } from '../../lib/bad-input.ts';
import {
  columnLongitude,
  type Grid,
  type GridWindow,
  type RasterValues,
  rowLatitude,
} from '../../lib/numerics/grid.ts';
import type { RasterDeclaration } from './geotiff-conversion.ts';
import { describeRaster, openTiff, type RasterDescription, unreadable } from './geotiff-description.ts';
import { convertSamples, fillAbsent, openBlocks } from './tiff-blocks.ts';
import { isDecodable, type Samples } from './tiff-decode.ts';
import type { BlockSize } from './windows.ts';

export interface Raster extends BlockSize {
  file: string;
  grid: Grid;
  /** Lets other threads open the raster. */
  description: RasterDescription;
  /**
   * Values of a window, in `buffer` if it is large enough and of the right type, else in a new array.
   * @throws BadInput if a value is outside `valid` or marks a missing cell (rows and columns are counted from 0), or
   *   the file cannot be decoded
   */
  readWindow(window: GridWindow, buffer?: RasterValues): Promise<RasterValues>;
  close(): Promise<void>;
}

/**
 * Opens one band of a GeoTIFF in longitude and latitude (EPSG:4326), its rows along parallels. Missing cells (nodata,
 * NaN) are read as NaN; scale and offset are applied to packed values.
 * @throws BadInput if the file is missing, not a TIFF, truncated, rotated, in another coordinate system …
 */
export async function openRaster(file: string, declared: RasterDeclaration = {}): Promise<Raster> {
  return openDescribedRaster(await describeRaster(file, declared));
}

/** Opens a described raster, in any thread. */
export async function openDescribedRaster(description: RasterDescription): Promise<Raster> {
  const { file, grid, blocks, blockRows, blockColumns, northRows } = description;
  const blockReader = isDecodable(blocks.coding) ? openBlocks(blocks) : await openWithLibrary(description);
  const check = createValueCheck(description);
  const ValuesArray = blocks.conversion.needsFloat64 ? Float64Array : Float32Array;
  return {
    file,
    grid,
    description,
    blockRows,
    blockColumns,
    northRows,
    async readWindow(window, buffer) {
      const cells = window.rows * window.columns;
      const isReusable = buffer instanceof ValuesArray && buffer.length >= cells;
      const values = isReusable ? buffer.subarray(0, cells) : new ValuesArray(cells);
      try {
        await blockReader.read(window, values);
      } catch (cause) {
        throw unreadable(cause, new InputLocation(file, `rows ${window.row} to ${window.row + window.rows - 1}`));
      }
      check(values, window);
      return values;
    },
    async close() {
      await blockReader.close();
    },
  };
}

/** Reads codings that tiff-decode.ts does not support with the library, several times slower. */
async function openWithLibrary({ file, band, blocks }: RasterDescription) {
  const tiff = await openTiff(file);
  const image = await tiff.getImage();
  return {
    async read(window: GridWindow, values: RasterValues) {
      const { row, column, rows, columns } = window;
      const firstRow = blocks.southUp ? blocks.rows - row - rows : row;
      const samples = (await image.readRasters({
        window: [column, firstRow, column + columns, firstRow + rows],
        samples: [band - 1],
        interleave: true,
      })) as Samples;
      for (let i = 0; i < rows; i++) {
        const firstValue = (blocks.southUp ? rows - 1 - i : i) * columns;
        convertSamples(samples, i * columns, 1, values, firstValue, columns, blocks.conversion);
      }
      // The library fills them with 0 if missing cells are marked by NaN.
      fillAbsent(blocks, window, values);
    },
    close: () => tiff.close(),
  };
}

/** @returns a function that throws BadInput at a value that is not plausible or only marks a missing cell */
function createValueCheck({ file, grid, valid, marks, blocks }: RasterDescription) {
  const [min, max] = valid;
  const { scale, offset } = blocks.conversion;
  const isPacked = scale !== 1 || offset !== 0;
  const markSet = new Set(marks);
  const smallestMark = Math.min(...marks.map(Math.abs));
  return (values: RasterValues, window: GridWindow) => {
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      const isOutside = value < min || value > max;
      const sample = isPacked ? Math.round((value - offset) / scale) : value;
      if (!isOutside && !(Math.abs(sample) >= smallestMark && markSet.has(sample))) continue;
      const row = window.row + Math.floor(i / window.columns);
      const column = window.column + (i % window.columns);
      const place = `${columnLongitude(grid, column).toFixed(4)}, ${rowLatitude(grid, row).toFixed(4)}`;
      const expected = isOutside ? `${min} to ${max}` : 'a measured value';
      throw new InputLocation(file, `row ${row}, column ${column} (${place})`).error(
        `${value}`,
        `${expected} (is this an undeclared nodata value?)`,
      );
    }
  };
}
