import type { AreaGeometry } from '../../contract/schemas.ts';

const POLYGON = 3;
const MULTI_POLYGON = 6;

/** Well-known binary (OGC 06-103r4) of a polygon or multipolygon, little-endian, two dimensions. */
export function toWkb(geometry: AreaGeometry): Buffer {
  if (geometry.type === 'Polygon') return polygonWkb(geometry.coordinates);
  return Buffer.concat([
    wkbHeader(MULTI_POLYGON, geometry.coordinates.length),
    ...geometry.coordinates.map(polygonWkb),
  ]);
}

/** Reads the output of `toWkb`. @throws RangeError for other geometries */
export function fromWkb(bytes: Uint8Array): AreaGeometry {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  const readCount = () => {
    offset += 4;
    return view.getUint32(offset - 4, true);
  };
  const readNumber = () => {
    offset += 8;
    return view.getFloat64(offset - 8, true);
  };
  const readArray = <T>(readItem: () => T): T[] => Array.from({ length: readCount() }, readItem);
  const readType = () => {
    // Skips the byte order.
    offset += 1;
    return readCount();
  };
  const readRings = () => readArray(() => readArray(() => [readNumber(), readNumber()]));
  const readPolygon = () => {
    if (readType() !== POLYGON)
      throw new RangeError('well-known binary: found a geometry of another type, expected a polygon');
    return readRings();
  };
  if (readType() === POLYGON) return { type: 'Polygon', coordinates: readRings() };
  return { type: 'MultiPolygon', coordinates: readArray(readPolygon) };
}

function polygonWkb(rings: number[][][]): Buffer {
  const ringBytes = rings.map((ring) => {
    const bytes = Buffer.alloc(4 + ring.length * 16);
    bytes.writeUInt32LE(ring.length, 0);
    ring.forEach(([x, y], i) => {
      bytes.writeDoubleLE(x!, 4 + i * 16);
      bytes.writeDoubleLE(y!, 12 + i * 16);
    });
    return bytes;
  });
  return Buffer.concat([wkbHeader(POLYGON, rings.length), ...ringBytes]);
}

/** Byte order, type, and number of the elements that follow. */
function wkbHeader(type: number, count: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt32LE(type, 1);
  bytes.writeUInt32LE(count, 5);
  return bytes;
}
