/** The metadata that DHIS2 needs before it imports values: data elements, in a data set and in a group. */
import { probabilities, scores } from '../../contract/fields.ts';
import { LEVELS } from '../../contract/levels.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { FORECAST_MONTHS } from '../../contract/months.ts';
import { countryWords, fillPlaceholders, type Words } from '../../contract/words.ts';
import { sha256 } from '../../lib/hash.ts';
import { type ColumnSchema, describeColumn } from '../../lib/tables/table.ts';

export type AreaLevel = 'lga' | 'state';

/** A column whose values become those of a data element for each level of areas. */
export interface Figure {
  /** Its column in the rows that are exported. */
  column: string;
  /** What it is called after "Malaria". */
  name: string;
  form: ColumnSchema;
}

/** A data element as DHIS2 imports it (`/api/schemas/dataElement`). */
export interface DataElement {
  id: string;
  code: string;
  name: string;
  shortName: string;
  description: string;
  domainType: 'AGGREGATE';
  valueType: 'UNIT_INTERVAL' | 'NUMBER';
  aggregationType: 'AVERAGE' | 'NONE';
  zeroIsSignificant: true;
}

const riskFigure = (column: string, form: ColumnSchema): Figure => ({
  column,
  name: `risk ${column.replaceAll('_', ' ')}`,
  form,
});

export const SCORE_FIGURES = Object.entries(scores).map(([column, form]) => riskFigure(column, form));
export const PROBABILITY_FIGURES = LEVELS.map(({ level }) =>
  riskFigure(`probability_${level}`, probabilities[`probability_${level}`]),
);

/** DHIS2's limits, and the form of its ids (`CodeGenerator`). */
const MAX_SHORT_NAME_LENGTH = 50;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const UID = /^[A-Za-z][A-Za-z0-9]{10}$/;

/**
 * An id of DHIS2's form, eleven letters and digits of which the first is a letter, that depends on the kind of object
 * and its code alone: another version, country or language gives the same one, so that a second import updates.
 */
export function stableUid(kind: 'dataElement' | 'dataSet' | 'dataElementGroup', code: string): string {
  let remainder = BigInt(`0x${sha256(`${kind} ${code}`)}`);
  const takeCharacter = (alphabet: string) => {
    const character = alphabet[Number(remainder % BigInt(alphabet.length))]!;
    remainder /= BigInt(alphabet.length);
    return character;
  };
  return takeCharacter(LETTERS) + Array.from({ length: 10 }, () => takeCharacter(`${LETTERS}0123456789`)).join('');
}

/** A made-up country's objects have codes of their own, so that they cannot overwrite those of a real country. */
const objectCode = (synthetic: boolean, ...parts: string[]) =>
  [...(synthetic ? ['MADE_UP'] : []), 'MALARIA', ...parts].join('_').toUpperCase();
const objectName = (synthetic: boolean, name: string) => `${synthetic ? 'MADE UP ' : ''}Malaria ${name}`;

/**
 * The data element of a figure and a level. The levels have elements of their own: DHIS2 adds the values of the areas
 * below to those of an area itself. Means alone may be averaged over months and areas; ends of ranges, medians and
 * probabilities may not.
 */
export function dataElement(
  { column, name, form }: Figure,
  level: AreaLevel,
  { synthetic }: Pick<Manifest, 'synthetic'>,
  words: Words,
): DataElement {
  const code = objectCode(synthetic, column, level);
  const fullName = objectName(synthetic, `${name}, ${words[level].one}`);
  return {
    id: stableUid('dataElement', code),
    code,
    name: fullName,
    shortName: fullName.length <= MAX_SHORT_NAME_LENGTH ? fullName : code.replaceAll('_', ' '),
    description: fillPlaceholders(describeColumn(form), words),
    domainType: 'AGGREGATE',
    valueType: form.minimum === 0 && form.maximum === 1 ? 'UNIT_INTERVAL' : 'NUMBER',
    aggregationType: column === 'score' ? 'AVERAGE' : 'NONE',
    zeroIsSignificant: true,
  };
}

/** The id of the data set, which each file of values refers to. */
export const dataSetId = ({ synthetic }: Pick<Manifest, 'synthetic'>) =>
  stableUid('dataSet', objectCode(synthetic, 'risk'));

/**
 * `metadata.json`. Category combinations are left out, so that DHIS2 puts in its own default one. The data set opens as
 * many future months as forecasts may reach, and is assigned to the units, because DHIS2 can be set to refuse values
 * otherwise.
 * @param units ids of the organisation units that get values
 */
export function dhis2Metadata(
  manifest: Pick<Manifest, 'synthetic' | 'model_version' | 'territory'>,
  figures: readonly Figure[],
  units: readonly string[],
) {
  const { synthetic, model_version, territory } = manifest;
  const words = countryWords(territory);
  const dataElements = figures.flatMap((figure) =>
    (['state', 'lga'] as const).map((level) => dataElement(figure, level, manifest, words)),
  );
  const [code, name] = [objectCode(synthetic, 'risk'), objectName(synthetic, 'risk')];
  const id = dataSetId(manifest);
  return {
    dataElements,
    dataElementGroups: [
      {
        id: stableUid('dataElementGroup', code),
        code,
        name,
        shortName: name,
        dataElements: dataElements.map((element) => ({ id: element.id })),
      },
    ],
    dataSets: [
      {
        id,
        code,
        name,
        shortName: name,
        description: `Modelled malaria risk and forecasts, version ${model_version}; imported, not entered by hand`,
        periodType: 'Monthly',
        openFuturePeriods: FORECAST_MONTHS + 1,
        dataSetElements: dataElements.map((element) => ({ dataSet: { id }, dataElement: { id: element.id } })),
        organisationUnits: units.map((unit) => ({ id: unit })),
      },
    ],
  };
}
