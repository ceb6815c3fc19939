/** Writes Excel workbooks for tests. */
import { strToU8, zipSync } from 'fflate';

type Cell = string | number | Date | null;
interface SheetContent {
  rows: readonly (readonly Cell[])[];
  /** Ranges such as `A1:B1`. */
  merges?: readonly string[];
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const columnLetters = (i: number): string =>
  (i < 26 ? '' : columnLetters(Math.floor(i / 26) - 1)) + String.fromCharCode(65 + (i % 26));
const excelDay = (date: Date) => date.getTime() / 86_400_000 + 25_569;

function cellXml(cell: Cell, address: string): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return `<c r="${address}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`;
  if (cell instanceof Date) return `<c r="${address}" s="1"><v>${excelDay(cell)}</v></c>`;
  return `<c r="${address}"><v>${cell}</v></c>`;
}

/** A sheet's XML. */
export function sheetXml({ rows, merges = [] }: SheetContent): string {
  const data = rows
    .map(
      (row, i) => `<row r="${i + 1}">${row.map((cell, k) => cellXml(cell, columnLetters(k) + (i + 1))).join('')}</row>`,
    )
    .join('');
  const merged = merges.map((ref) => `<mergeCell ref="${ref}"/>`).join('');
  return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${data}</sheetData>${merged && `<mergeCells>${merged}</mergeCells>`}</worksheet>`;
}

/** @param sheets the XML or the rows of each sheet, by its name */
export function workbook(sheets: Readonly<Record<string, SheetContent | string>>): Buffer {
  const names = Object.keys(sheets);
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const files: Record<string, string> = {
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${names
      .map((name, i) => `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${names
      .map(
        (_, i) =>
          `<Relationship Id="rId${i + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`,
      )
      .join('')}<Relationship Id="rId99" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  };
  Object.values(sheets).forEach((content, i) => {
    files[`xl/worksheets/sheet${i + 1}.xml`] = typeof content === 'string' ? content : sheetXml(content);
  });
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))));
}
