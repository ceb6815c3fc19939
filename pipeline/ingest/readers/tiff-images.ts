import { open } from 'node:fs/promises';
import type { GeoTIFF } from 'geotiff';
import type { InputLocation } from '../../lib/bad-input.ts';

/** Bytes of a value by TIFF's number of its type; 0 for unknown types. */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
const NEW_SUBFILE_TYPE = 254;
/** Maximum number of images: overviews and their masks are a few dozen at most. */
const MOST_IMAGES = 256;

/**
 * The values of NewSubfileType (1: an overview, 2: a page, 4: a mask) of all images in a TIFF, in the file's order. No
 * library has read the directories yet, so whatever they claim is held against the size of the file before anything of
 * that size is allocated.
 * @param size bytes of the file
 * @throws BadInput for directories that form a circle, are too many, or point outside the file
 */
export async function readImageKinds(
  tiff: GeoTIFF,
  file: string,
  size: number,
  location: InputLocation,
): Promise<number[]> {
  const { littleEndian, bigTiff } = tiff;
  const [countFieldBytes, entryBytes, inlineBytes] = bigTiff ? [8, 20, 8] : [2, 12, 4];
  const handle = await open(file);
  try {
    const read = async (offset: number, length: number) => {
      if (offset + length > size) throw location.error(`${size} bytes`, `${offset + length} (the file is cut short)`);
      const { buffer } = await handle.read(new Uint8Array(length), 0, length, offset);
      return new DataView(buffer.buffer);
    };
    const readOffset = (view: DataView, offset: number) =>
      bigTiff ? Number(view.getBigUint64(offset, littleEndian)) : view.getUint32(offset, littleEndian);
    const kinds: number[] = [];
    const visitedOffsets = new Set<number>();
    let offset = tiff.firstIFDOffset;
    while (offset !== 0) {
      if (visitedOffsets.has(offset))
        throw location.error(`a list of images that returns to byte ${offset} and never ends`, 'an intact GeoTIFF');
      if (visitedOffsets.size === MOST_IMAGES)
        throw location.error(`more than ${MOST_IMAGES} images`, `at most ${MOST_IMAGES}`);
      visitedOffsets.add(offset);
      const countView = await read(offset, countFieldBytes);
      const count = bigTiff ? readOffset(countView, 0) : countView.getUint16(0, littleEndian);
      const entries = await read(offset + countFieldBytes, count * entryBytes + inlineBytes);
      let kind = 0;
      for (let entry = 0; entry < count * entryBytes; entry += entryBytes) {
        const tag = entries.getUint16(entry, littleEndian);
        const valueOffset = entry + entryBytes - inlineBytes;
        const valueCount = readOffset(entries, entry + 4);
        const valueBytes = valueCount * (TYPE_BYTES[entries.getUint16(entry + 2, littleEndian)] ?? 0);
        if (valueBytes > inlineBytes && readOffset(entries, valueOffset) + valueBytes > size)
          throw location.at(`its tag ${tag}`).error(`${valueCount} values`, `values within the file's ${size} bytes`);
        if (tag === NEW_SUBFILE_TYPE) kind = entries.getUint32(valueOffset, littleEndian);
      }
      kinds.push(kind);
      offset = readOffset(entries, count * entryBytes);
    }
    return kinds;
  } finally {
    await handle.close();
  }
}
