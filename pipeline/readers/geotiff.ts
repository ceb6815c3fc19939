import { stat } from 'node:fs/promises';
import { fromFile, type GeoTIFF, type GeoTIFFImage } from 'geotiff';
import { BadInput } from '../bad-input.ts';
import { type Grid, latitudeOf, longitudeOf, type Values, type Window } from '../numerics/grid.ts';

/** What the caller knows of a raster beyond its file. */
export interface Declared {
  /** The value of missing cells: overrides the file's tag. `none`: no cell is missing but NaN ones. */
  nodata?: number | 'nan' | 'none' | undefined;
  /** Smallest and largest value that can be true: anything beyond is an error, most often a nodata left untagged. */
  valid?: readonly [number, number] | undefined;
  /** Taken on trust for a file that names no coordinate system; one that names another is refused all the same. */
  crs?: 'EPSG:4326' | undefined;
}

export interface Raster {
  file: string;
  grid: Grid;
  /** Rows that are decoded together: windows that begin and end on multiples of it decode nothing twice. */
  blockRows: number;
  /** @throws BadInput where a value lies outside `valid` (with its row and column from 0) or the file cannot be decoded. */
  readWindow(window: Window): Promise<Values>;
  close(): Promise<void>;
}

/**
 * Opens a GeoTIFF of one band in longitude and latitude (EPSG:4326), north up. Missing cells (nodata, NaN) come as NaN;
 * a file without a nodata tag has none missing.
 * @throws BadInput: not there, no TIFF, cut short, another coordinate system, rotated …
 */
export async function openRaster(file: string, declared: Declared = {}): Promise<Raster> {
  const { size } = await stat(file).catch(() => {
    throw new BadInput(file, '', 'no such file', 'a GeoTIFF');
  });
  const tiff = await fromFile(file).catch((cause: unknown) => {
    throw unreadable(file, '', cause);
  });
  try {
    const image = await tiff.getImage();
    await refuseUnsupported(file, tiff, image);
    checkCoordinateSystem(file, image, declared);
    const grid = gridOf(file, image);
    const blockBytes = await readBlockBytes(file, image, size);
    const missing = missingOf(image, declared);
    return {
      file,
      grid,
      blockRows: image.getTileHeight(),
      async readWindow(window) {
        const { row, column, rows, columns } = window;
        const raw = await image
          .readRasters({ window: [column, row, column + columns, row + rows], samples: [0], interleave: true })
          .catch((cause: unknown) => {
            throw unreadable(file, `rows ${row} to ${row + rows - 1}`, cause);
          });
        const values = raw instanceof Float32Array || raw instanceof Float64Array ? raw : widen(raw);
        if (missing !== null) {
          maskValue(values, missing);
          maskAbsentBlocks(values, window, image, blockBytes);
        }
        if (declared.valid) checkRange(file, grid, values, window, declared.valid);
        return values;
      },
      async close() {
        await tiff.close();
      },
    };
  } catch (cause) {
    await tiff.close();
    throw cause instanceof BadInput ? cause : unreadable(file, '', cause);
  }
}

function unreadable(file: string, where: string, cause: unknown): BadInput {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new BadInput(file, where, `what cannot be decoded (${reason})`, 'a whole GeoTIFF');
}

async function refuseUnsupported(file: string, tiff: GeoTIFF, image: GeoTIFFImage): Promise<void> {
  const bands = image.getSamplesPerPixel();
  if (bands !== 1) throw new BadInput(file, '', `${bands} bands`, 'one');
  const scaling = await image.getGDALMetadata(0);
  if (Number(scaling?.SCALE ?? 1) !== 1 || Number(scaling?.OFFSET ?? 0) !== 0) {
    throw new BadInput(
      file,
      '',
      `packed values (scale ${scaling?.SCALE ?? 1}, offset ${scaling?.OFFSET ?? 0})`,
      'plain ones',
    );
  }
  for (let i = 1; i < (await tiff.getImageCount()); i++) {
    const kind = Number((await tiff.getImage(i)).fileDirectory.getValue('NewSubfileType') ?? 0);
    if (kind & 4) throw new BadInput(file, '', 'a mask of missing cells inside the file', 'a nodata value');
  }
}

function checkCoordinateSystem(file: string, image: GeoTIFFImage, declared: Declared): void {
  const keys = image.getGeoKeys();
  const code = keys?.ProjectedCSTypeGeoKey ?? keys?.GeographicTypeGeoKey;
  if (code === undefined && declared.crs) return;
  if (code !== 4326) {
    const found = code === undefined ? 'no coordinate system' : `the coordinate system EPSG:${code}`;
    throw new BadInput(file, '', found, 'EPSG:4326 (longitude and latitude, WGS 84)');
  }
}

function gridOf(file: string, image: GeoTIFFImage): Grid {
  const columns = image.getWidth();
  const rows = image.getHeight();
  const scale = image.fileDirectory.getValue('ModelPixelScale');
  const tie = image.fileDirectory.getValue('ModelTiepoint');
  const matrix = image.fileDirectory.getValue('ModelTransformation');
  let [cellWidth, cellHeight, west, north] = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  if (scale && tie) {
    cellWidth = scale[0]!;
    cellHeight = scale[1]!;
    west = tie[3]! - tie[0]! * cellWidth;
    north = tie[4]! + tie[1]! * cellHeight;
  } else if (matrix && matrix[1] === 0 && matrix[4] === 0) {
    cellWidth = matrix[0]!;
    cellHeight = -matrix[5]!;
    west = matrix[3]!;
    north = matrix[7]!;
  }
  if (!(cellWidth > 0 && cellHeight > 0)) {
    throw new BadInput(file, '', 'a raster rotated, south up or without a place on the map', 'one north up');
  }
  // Where values belong to points (GTRasterType 2) the corner named is the first cell's centre.
  if (image.getGeoKeys()?.GTRasterTypeGeoKey === 2) {
    west -= cellWidth / 2;
    north += cellHeight / 2;
  }
  const [east, south] = [west + columns * cellWidth, north - rows * cellHeight];
  const slack = cellWidth;
  if (!(west >= -180 - slack && east <= 180 + slack && south >= -90 - slack && north <= 90 + slack)) {
    throw new BadInput(file, '', `longitude ${west} to ${east}, latitude ${south} to ${north}`, 'degrees on the globe');
  }
  return { west, north, cellWidth, cellHeight, columns, rows };
}

/** Bytes of each block. The library fills what a file cut short no longer holds with zeros, so look before reading. */
async function readBlockBytes(file: string, image: GeoTIFFImage, size: number): Promise<ArrayLike<number | bigint>> {
  const [offsets, bytes] = await Promise.all(
    image.isTiled
      ? [image.fileDirectory.loadValue('TileOffsets'), image.fileDirectory.loadValue('TileByteCounts')]
      : [image.fileDirectory.loadValue('StripOffsets'), image.fileDirectory.loadValue('StripByteCounts')],
  );
  if (!offsets || !bytes) throw new BadInput(file, '', 'no blocks', 'tiles or strips');
  let end = 0;
  for (let i = 0; i < offsets.length; i++) end = Math.max(end, Number(offsets[i]) + Number(bytes[i]));
  if (end > size) throw new BadInput(file, '', `${size} bytes`, `${end}: it is cut short`);
  return bytes;
}

/** The value that stands for missing cells in the file's own number type; null where there is none. */
function missingOf(image: GeoTIFFImage, declared: Declared): number | null {
  if (declared.nodata === 'none') return null;
  const value = declared.nodata === undefined ? image.getGDALNoData() : Number(declared.nodata);
  if (value === null) return null;
  return image.getSampleFormat() === 3 && image.getBitsPerSample() === 32 ? Math.fround(value) : value;
}

/** Integers as floats, so that NaN can stand among them. */
function widen(raw: ArrayLike<number> & { BYTES_PER_ELEMENT: number }): Values {
  return raw.BYTES_PER_ELEMENT <= 2 ? Float32Array.from(raw) : Float64Array.from(raw);
}

function maskValue(values: Values, missing: number): void {
  if (Number.isNaN(missing)) return;
  for (let i = 0; i < values.length; i++) if (values[i] === missing) values[i] = Number.NaN;
}

/** Blocks left out of a sparse file are missing throughout; the library gives 0 for them where nodata is NaN. */
function maskAbsentBlocks(
  values: Values,
  window: Window,
  image: GeoTIFFImage,
  bytes: ArrayLike<number | bigint>,
): void {
  const width = image.getTileWidth();
  const height = image.getTileHeight();
  const across = Math.ceil(image.getWidth() / width);
  const endRow = window.row + window.rows;
  const endColumn = window.column + window.columns;
  for (let y = Math.floor(window.row / height); y * height < endRow; y++) {
    for (let x = Math.floor(window.column / width); x * width < endColumn; x++) {
      if (Number(bytes[y * across + x]) !== 0) continue;
      const from = Math.max(x * width, window.column) - window.column;
      const to = Math.min((x + 1) * width, endColumn) - window.column;
      for (let row = Math.max(y * height, window.row); row < Math.min((y + 1) * height, endRow); row++) {
        const start = (row - window.row) * window.columns;
        values.fill(Number.NaN, start + from, start + to);
      }
    }
  }
}

function checkRange(file: string, grid: Grid, values: Values, window: Window, [min, max]: readonly [number, number]) {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < min || value > max) {
      const row = window.row + Math.floor(i / window.columns);
      const column = window.column + (i % window.columns);
      const place = `${longitudeOf(grid, column).toFixed(4)}, ${latitudeOf(grid, row).toFixed(4)}`;
      throw new BadInput(
        file,
        `row ${row}, column ${column} (${place})`,
        `${value}`,
        `${min} to ${max} (a nodata left undeclared?)`,
      );
    }
  }
}
