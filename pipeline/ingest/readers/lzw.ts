const CLEAR_CODE = 256;
const END_CODE = 257;
const FIRST_ENTRY = 258;
const MAX_CODE_BITS = 12;

/**
 * Decodes TIFF's LZW (TIFF 6.0, section 13: high bits first, codes grow by a bit one entry early) into at most `length`
 * bytes, fewer if the data ends earlier. Every entry of the dictionary is a string followed by the first byte of the
 * next one, and therefore occurs in the output decoded so far: an entry is stored as an offset and a length there.
 * @throws Error for an invalid code, and for data without an end mark
 */
export function decodeLzw(input: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length);
  const entryStarts = new Int32Array(1 << MAX_CODE_BITS);
  const entryLengths = new Int32Array(1 << MAX_CODE_BITS);
  let entryCount = FIRST_ENTRY;
  let codeBits = 9;
  let bitBuffer = 0;
  let bufferedBits = 0;
  let inputOffset = 0;
  let outputOffset = 0;
  let previousLength = 0;
  while (outputOffset < length) {
    while (bufferedBits < codeBits) {
      if (inputOffset === input.length) throw new Error('truncated LZW data');
      bitBuffer = (bitBuffer << 8) | input[inputOffset++]!;
      bufferedBits += 8;
    }
    bufferedBits -= codeBits;
    const code = (bitBuffer >>> bufferedBits) & ((1 << codeBits) - 1);
    if (code === END_CODE) return output.subarray(0, outputOffset);
    if (code === CLEAR_CODE) {
      entryCount = FIRST_ENTRY;
      codeBits = 9;
      previousLength = 0;
      continue;
    }
    if (previousLength > 0 && entryCount < entryStarts.length) {
      entryStarts[entryCount] = outputOffset - previousLength;
      entryLengths[entryCount] = previousLength + 1;
      entryCount++;
    }
    if (code < CLEAR_CODE) {
      output[outputOffset++] = code;
      previousLength = 1;
    } else {
      if (code >= entryCount) throw new Error(`LZW code ${code} beyond the dictionary's ${entryCount}`);
      const start = entryStarts[code]!;
      previousLength = Math.min(entryLengths[code]!, length - outputOffset);
      // Byte by byte, because the entry may overlap the bytes being written.
      for (let i = 0; i < previousLength; i++) output[outputOffset + i] = output[start + i]!;
      outputOffset += previousLength;
    }
    if (entryCount + 1 >= 1 << codeBits && codeBits < MAX_CODE_BITS) codeBits++;
  }
  return output;
}
