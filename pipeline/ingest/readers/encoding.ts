/** Encodings of attributes, and text that was read in the wrong one. */
import type { InputLocation } from '../../lib/bad-input.ts';

/**
 * The encoding that a `.cpg` file names, as `TextDecoder` and mapshaper call it. ArcGIS writes `ISO 88591`, `88591`,
 * `ANSI 1252` or `65001` (a Windows code page); some editors add a byte order mark.
 * @param cpg the file's bytes as Latin-1
 * @throws BadInput for the name of no known encoding
 */
export function parseEncoding(cpg: string, location: InputLocation): string {
  const name = cpg
    .replace(/^\xef\xbb\xbf/, '')
    .replaceAll('\0', '')
    .trim();
  const normalizedName = name.toUpperCase().replaceAll(/[\s_-]/g, '');
  const [, isoPart] = /^(?:ISO)?8859(\d{1,2})$/.exec(normalizedName) ?? [];
  const [, codePage] = /^(?:ANSI|WINDOWS|WIN|OEM|IBM|CP)?(\d{3,5})$/.exec(normalizedName) ?? [];
  const label =
    normalizedName === 'UTF8'
      ? 'utf-8'
      : isoPart
        ? `iso-8859-${Number(isoPart)}`
        : codePage
          ? codePageEncoding(Number(codePage))
          : name;
  // The old code pages of DOS, which browsers do not know and mapshaper does.
  if (/^cp\d{3}$/.test(label)) return label;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw location.error(JSON.stringify(name), 'the name of an encoding, such as UTF-8');
  }
}

const OTHER_CODE_PAGES: Record<number, string> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  20127: 'us-ascii',
  65001: 'utf-8',
};

function codePageEncoding(page: number): string {
  if (page >= 1250 && page <= 1258) return `windows-${page}`;
  if (page > 28590 && page <= 28606) return `iso-8859-${page - 28590}`;
  return OTHER_CODE_PAGES[page] ?? `cp${page}`;
}

/** The characters for which UTF-8's second byte stands in windows-1252. */
const SECOND_BYTES = '\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const MISREAD_PATTERN = new RegExp(`[\\ufffd\\p{Cc}]|[ÂÃ][${SECOND_BYTES}]`, 'u');

/**
 * Whether text was read in the wrong encoding: it has replacement or control characters, or the two letters that an
 * accented one of UTF-8 becomes in Latin-1.
 */
export const isMisread = (text: string): boolean => MISREAD_PATTERN.test(text);
