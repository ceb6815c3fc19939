const CLEAR = 256;
const END = 257;
const FIRST = 258;
const MAX_WIDTH = 12;

/**
 * Decodes TIFF's LZW (TIFF 6.0, section 13: high bits first, codes grow by a bit one entry early) into at most `length`
 * bytes, fewer if the data ends earlier. Every entry of the dictionary is a string followed by the first byte of the
 * next one, and therefore occurs in the output decoded so far: an entry is stored as an offset and a length there.
 * @throws Error for an invalid code, and for data without an end mark
 */
export function decodeLzw(input: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length);
  const starts = new Int32Array(1 << MAX_WIDTH);
  const lengths = new Int32Array(1 << MAX_WIDTH);
  let entries = FIRST;
  let width = 9;
  let bits = 0;
  let held = 0;
  let read = 0;
  let written = 0;
  let before = 0;
  while (written < length) {
    while (held < width) {
      if (read === input.length) throw new Error('truncated LZW data');
      bits = (bits << 8) | input[read++]!;
      held += 8;
    }
    held -= width;
    const code = (bits >>> held) & ((1 << width) - 1);
    if (code === END) return output.subarray(0, written);
    if (code === CLEAR) {
      entries = FIRST;
      width = 9;
      before = 0;
      continue;
    }
    if (before > 0 && entries < starts.length) {
      starts[entries] = written - before;
      lengths[entries] = before + 1;
      entries++;
    }
    if (code < CLEAR) {
      output[written++] = code;
      before = 1;
    } else {
      if (code >= entries) throw new Error(`LZW code ${code} beyond the dictionary's ${entries}`);
      const start = starts[code]!;
      before = Math.min(lengths[code]!, length - written);
      // Byte by byte, because the entry may overlap the bytes being written.
      for (let i = 0; i < before; i++) output[written + i] = output[start + i]!;
      written += before;
    }
    if (entries + 1 >= 1 << width && width < MAX_WIDTH) width++;
  }
  return output;
}
