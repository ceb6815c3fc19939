/** How a table is written. Stages read it, so it is apart from the schema of sources.json, which names all formats. */
import type { Static } from 'typebox';
import { closedObject, Type } from '../contract/type.ts';
import { text } from './shared-schemas.ts';

/** The orders of a month's parts. */
export const MONTH_ORDERS = ['year month', 'month year', 'year month day', 'day month year', 'month day year'] as const;
export type MonthOrder = (typeof MONTH_ORDERS)[number];

/**
 * Where a table says its year if no column does: in the name of the file or sheet, or in the lines above the header.
 */
export const YEAR_LOCATIONS = ['name', 'sheet', 'title'] as const;

export const SEPARATORS = [';', '\t', '|'] as const;

/** The columns of one of several tests in a row. */
const TestColumns = closedObject(
  { examined: text, positive: Type.Optional(text), positivity: Type.Optional(text) },
  "The project's names -> the file's",
);

/** How a table is written where that differs from the project's own form; `new-country` recognises it. */
export const Dialect = closedObject({
  separator: Type.Optional(Type.Enum([...SEPARATORS], { description: 'Between the cells of a CSV, if not a comma' })),
  encoding: Type.Optional(Type.Literal('windows-1252', { description: 'Of the text of a CSV, if not UTF-8' })),
  sheet: Type.Optional(Type.String({ minLength: 1, description: 'Of a workbook, if several have a table' })),
  title_rows: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Rows above the header of a CSV or a sheet, as office programs make them',
    }),
  ),
  year: Type.Optional(
    Type.Enum([...YEAR_LOCATIONS], {
      description:
        'The year of all rows is the only one in the name of the file or the sheet, or in the lines above its header, and is given in a column `year`',
    }),
  ),
  merged: Type.Optional(
    Type.Array(text, {
      minItems: 1,
      description: 'Columns of merged cells: a blank one has the value of the row above',
    }),
  ),
  decimal_comma: Type.Optional(Type.Literal(true, { description: 'Numbers are written 0,5' })),
  thousands: Type.Optional(
    Type.Array(text, { minItems: 1, description: 'Columns of counts in thousands, once all else is undone' }),
  ),
  months: Type.Optional(
    Type.Enum([...MONTH_ORDERS], {
      description:
        "Order of a month's parts if it is not written YYYY-MM or YYYYMM: numbers or names (English, French, Portuguese, Spanish) with any separators; a day belongs to its month",
    }),
  ),
  wide: Type.Optional(
    closedObject(
      {
        names: Type.Union([text, Type.Array(text, { minItems: 2 })]),
        values: text,
        labels: Type.Optional(Type.Record(text, text)),
        sum: Type.Optional(Type.Literal(true)),
      },
      'Each row is one figure, as in DHIS2 analytics of several data elements: rows that differ in the column `names` alone become one, with the numbers of `values` in columns of these names (of several, such as an indicator and an age group, with a blank between them); if months are columns too, `values` is the column of `pivot`. `labels` are the names of ids in `names`; with `sum`, counts of one figure, place and time are added up, as in raw data without their categories',
    ),
  ),
  tests: Type.Optional(
    Type.Object(
      { microscopy: Type.Optional(TestColumns), rdt: Type.Optional(TestColumns) },
      {
        additionalProperties: false,
        minProperties: 1,
        description:
          'Diagnostic tests of a survey stand side by side, or the names of its columns alone tell the test: each row becomes one for each test, with the method in a column `method` and the cells of the test in columns `examined` and `positive` (or `positivity`), to which `columns` refers; a row whose cells of a test are blank has none for it',
      },
    ),
  ),
  pivot: Type.Optional(
    closedObject(
      { months: text, values: text, figures: Type.Optional(text) },
      'Months are columns: each column named by a month, with or without its year, becomes rows, with its name and its cells in columns of these two names, which `columns` refers to. `figures` is the column of what stands beside the month in a heading such as `Cases January 2020`, to which `wide` refers',
    ),
  ),
});
export type Dialect = Static<typeof Dialect>;

/** A table in messages: its file and, of a workbook with several, its sheet. */
export const tableLabel = (file: string, { sheet }: Pick<Dialect, 'sheet'> = {}): string =>
  sheet === undefined ? file : `${file}, sheet ${sheet}`;
