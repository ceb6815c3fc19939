/**
 * The metadata that DHIS2 needs before it imports values: data elements with their legends, in a data set and a group.
 */
import { probabilities, scores } from '../../contract/fields.ts';
import { LEVELS, levelsInWords, riskLevel } from '../../contract/levels.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { FORECAST_MONTHS } from '../../contract/months.ts';
import { countryWords, fillPlaceholders, type Words } from '../../contract/words.ts';
import { sha256 } from '../../lib/hash.ts';
import { type ColumnSchema, describeColumn, whole } from '../../lib/tables/table.ts';
import { ALERT_CLASSES } from '../../model/forecast/alerts.ts';
import { LEVEL_FILLS } from '../report/shared/names.ts';

export type AreaLevel = 'lga' | 'state';

/** A column whose values become those of a data element for each level of areas. */
export interface Figure {
  /** Its column in the rows that are exported. */
  column: string;
  /** What it is called after "Malaria". */
  name: string;
  form: ColumnSchema;
  /** Of classes, which maps show in their colours. */
  legendSet?: LegendSetName;
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
  aggregationType: 'AVERAGE';
  zeroIsSignificant: true;
  legendSets?: { id: string }[];
}

const riskFigure = (column: string, form: ColumnSchema): Figure => ({
  column,
  name: `risk ${column.replaceAll('_', ' ')}`,
  form,
});

/**
 * DHIS2 rounds what it shows to two decimals, which moves scores near a cut-off to another class: the class is a figure
 * of its own, by the exact score.
 */
export const riskClass = (score: number): number => LEVELS.findIndex(({ level }) => level === riskLevel(score)) + 1;

export const SCORE_FIGURES: readonly Figure[] = [
  ...Object.entries(scores).map(([column, form]) => riskFigure(column, form)),
  {
    column: 'class',
    name: 'risk class',
    form: whole(`Class of the score, 1 to ${LEVELS.length}: ${levelsInWords()}`, {
      minimum: 1,
      maximum: LEVELS.length,
    }),
    legendSet: 'risk_classes',
  },
];
export const PROBABILITY_FIGURES = LEVELS.map(({ level }) =>
  riskFigure(`probability_${level}`, probabilities[`probability_${level}`]),
);

const ALERT_NUMBERS = ALERT_CLASSES.map((name, i) => `${i} ${name}`).join(', ');
export const ALERT_FIGURES: readonly Figure[] = [
  {
    column: 'detection',
    name: 'alert, early detection',
    form: whole(`Reported cases of the month against the usual: ${ALERT_NUMBERS}`, { minimum: 0 }),
    legendSet: 'alert_classes',
  },
  {
    column: 'warning',
    name: 'alert, early warning',
    form: whole(`Whether the month, the next after the last report, will exceed the usual: ${ALERT_NUMBERS}`, {
      minimum: 0,
    }),
    legendSet: 'alert_classes',
  },
];

/** Classes by the number that is their value, with the colours of the report. */
const LEGENDS = {
  risk_classes: LEVELS.map(({ level }, i) => ({ value: i + 1, name: level, color: LEVEL_FILLS[level] })),
  alert_classes: ALERT_CLASSES.map((name, i) => ({
    value: i,
    name,
    color: { none: '#eeeeee', watch: '#fdd98a', alert: '#cc5410', fall: '#4a5a9b' }[name],
  })),
} as const;
export type LegendSetName = keyof typeof LEGENDS;

/** DHIS2's limits, and the form of its ids (`CodeGenerator`). */
const MAX_SHORT_NAME_LENGTH = 50;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const UID = /^[A-Za-z][A-Za-z0-9]{10}$/;

/**
 * An id of DHIS2's form, eleven letters and digits of which the first is a letter, that depends on the kind of object
 * and its code alone: another version, country or language gives the same one, so that a second import updates.
 */
export function stableUid(kind: string, code: string): string {
  let remainder = BigInt(`0x${sha256(`${kind} ${code}`)}`);
  const takeCharacter = (alphabet: string) => {
    const character = alphabet[Number(remainder % BigInt(alphabet.length))]!;
    remainder /= BigInt(alphabet.length);
    return character;
  };
  return takeCharacter(LETTERS) + Array.from({ length: 10 }, () => takeCharacter(`${LETTERS}0123456789`)).join('');
}

/** A made-up country's objects have codes of their own, so that they cannot overwrite those of a real country. */
export const objectCode = (synthetic: boolean, ...parts: string[]) =>
  [...(synthetic ? ['MADE_UP'] : []), 'MALARIA', ...parts].join('_').toUpperCase();
export const objectName = (synthetic: boolean, name: string) => `${synthetic ? 'MADE UP ' : ''}Malaria ${name}`;

/**
 * The data element of a figure and a level. The levels have elements of their own: DHIS2 adds the values of the areas
 * below to those of an area itself. All can be averaged, because DHIS2's analytics refuses what cannot (E7115); the
 * average of ends of ranges, classes or probabilities means nothing, so maps and charts show single months and areas.
 */
export function dataElement(
  { column, name, form, legendSet }: Figure,
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
    aggregationType: 'AVERAGE',
    zeroIsSignificant: true,
    ...(legendSet ? { legendSets: [{ id: legendSetId({ synthetic }, legendSet) }] } : {}),
  };
}

export const legendSetId = ({ synthetic }: Pick<Manifest, 'synthetic'>, name: LegendSetName) =>
  stableUid('legendSet', objectCode(synthetic, name));

/** The legend sets of the figures. A legend of DHIS2 holds its start and not its end. */
function legendSets({ synthetic }: Pick<Manifest, 'synthetic'>, figures: readonly Figure[]) {
  const names = [...new Set(figures.flatMap(({ legendSet }) => legendSet ?? []))];
  return names.map((name) => ({
    id: legendSetId({ synthetic }, name),
    code: objectCode(synthetic, name),
    name: objectName(synthetic, name.replaceAll('_', ' ')),
    symbolizer: 'COLOR',
    legends: LEGENDS[name].map((legend) => ({
      id: stableUid('legend', objectCode(synthetic, name, legend.name)),
      name: legend.name.replaceAll('_', ' '),
      startValue: legend.value,
      endValue: legend.value + 1,
      color: legend.color,
    })),
  }));
}

/** The id of the data set, which each file of values refers to. */
export const dataSetId = ({ synthetic }: Pick<Manifest, 'synthetic'>) =>
  stableUid('dataSet', objectCode(synthetic, 'risk'));

/**
 * The part of `metadata.json` that values need. Category combinations are left out, so that DHIS2 puts in its own
 * default one. The data set opens as many future months as forecasts may reach, and is assigned to the units, because
 * DHIS2 can be set to refuse values otherwise.
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
    legendSets: legendSets(manifest, figures),
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
