/**
 * The stages in order, each with its inputs and outputs: this table is the diagram of the pipeline. A stage runs again
 * only if the content of its inputs, its code, its parameters or the version of Node has changed.
 */

import type { CountryStage } from './catalog/country-stage.ts';
import type { Source } from './catalog/sources.ts';
import { hasUncoveredGround } from './catalog/uncovered-ground.ts';
import type { StageTable } from './engine/stage.ts';
import * as ingest from './ingest/ingest-tables.ts';
import * as boundaries from './measure/boundaries/boundaries-tables.ts';
import * as context from './measure/context/context-tables.ts';
import * as zonal from './measure/zonal/zonal-tables.ts';
import * as alerts from './model/forecast/alerts-tables.ts';
import * as forecast from './model/forecast/forecast-tables.ts';
import * as risk from './model/risk/risk-tables.ts';
import * as season from './model/season/season-tables.ts';
import * as survey from './model/survey/survey-tables.ts';
import * as backtest from './validate/backtest/backtest-tables.ts';

const readsNothing = () => false;
const isRaster = (source: Source) => source.format === 'geotiff';
const isOfPeople = ({ role }: Source) => role === 'population' || role === 'population_census';
const isTableOrOutline = (source: Source) => !isRaster(source);

const AREAS = ['ingest/states', 'ingest/lgas'];
const COVARIATES = ['ingest/covariates', 'zonal/covariates'];
const SURVEYS = ['ingest/clusters', 'ingest/area_rounds'];

export const STAGES: readonly CountryStage[] = [
  {
    name: 'ingest',
    module: 'pipeline/ingest/ingest-stage.ts',
    reads: isTableOrOutline,
    model: ['territory', 'expected', 'extent', 'states', 'parameters.survey.method', 'aliases'],
    inputs: [],
    outputs: [
      'states',
      'lgas',
      'polygons',
      'climate',
      'clusters',
      'area_rounds',
      'survey_rows',
      'other_names',
      'cases',
      'layers',
      'covariates',
      'census',
      'people',
      'accounts',
    ],
  },
  {
    name: 'boundaries',
    module: 'pipeline/measure/boundaries/boundaries-stage.ts',
    reads: readsNothing,
    model: ['parameters.boundaries'],
    inputs: [...AREAS, 'ingest/polygons'],
    outputs: ['outlines', 'areas_km2'],
  },
  {
    name: 'zonal',
    module: 'pipeline/measure/zonal/zonal-stage.ts',
    reads: (source) => isRaster(source) || isOfPeople(source) || hasUncoveredGround(source),
    model: [],
    inputs: [...AREAS, 'ingest/polygons', 'ingest/census', 'ingest/people'],
    outputs: ['lgas', 'people', 'cells', 'climate', 'covariates'],
  },
  {
    name: 'doubts',
    module: 'pipeline/measure/doubts/doubts-stage.ts',
    reads: isOfPeople,
    model: [],
    inputs: [
      ...AREAS,
      'ingest/polygons',
      'ingest/climate',
      'ingest/survey_rows',
      'ingest/cases',
      'ingest/census',
      'ingest/people',
      'ingest/layers',
      'zonal/lgas',
      'zonal/people',
      'zonal/climate',
    ],
    outputs: [],
  },
  {
    name: 'context',
    module: 'pipeline/measure/context/context-stage.ts',
    reads: readsNothing,
    model: [],
    inputs: [...AREAS, 'ingest/layers', ...COVARIATES, 'zonal/lgas', 'zonal/cells', 'boundaries/areas_km2'],
    outputs: ['lgas', 'states'],
  },
  {
    name: 'survey',
    module: 'pipeline/model/survey/survey-stage.ts',
    reads: readsNothing,
    model: ['parameters.survey'],
    inputs: [...AREAS, ...SURVEYS, 'ingest/census', 'context/lgas'],
    outputs: ['trend'],
  },
  {
    name: 'season',
    module: 'pipeline/model/season/season-stage.ts',
    reads: readsNothing,
    model: ['parameters.season', 'parameters.transmission', 'parameters.seed'],
    inputs: [...AREAS, 'ingest/climate', 'zonal/climate', 'ingest/cases', 'zonal/lgas'],
    outputs: ['method', 'national', 'states', 'lgas', 'rain', 'windows', 'check'],
  },
  {
    name: 'risk',
    module: 'pipeline/model/risk/risk-stage.ts',
    reads: readsNothing,
    model: [
      'first_estimated',
      'last_estimated',
      'parameters.survey.method',
      'parameters.risk',
      'parameters.evidence.scores',
      'parameters.seed',
    ],
    inputs: [...AREAS, ...SURVEYS, 'zonal/lgas', 'zonal/cells', ...COVARIATES, 'season/lgas', 'season/check'],
    outputs: ['lgas', 'states', 'probabilities', 'changes', 'contrasts', 'joint', 'evidence'],
  },
  {
    name: 'validation',
    module: 'pipeline/validate/validation-stage.ts',
    reads: readsNothing,
    model: ['parameters.survey.method', 'parameters.risk', 'parameters.seed'],
    inputs: [...AREAS, ...SURVEYS, 'zonal/cells', ...COVARIATES, 'season/lgas', 'season/check', 'risk/evidence'],
    outputs: ['scores'],
  },
  {
    name: 'forecast',
    module: 'pipeline/model/forecast/forecast-stage.ts',
    reads: readsNothing,
    model: ['parameters.season'],
    inputs: [...AREAS, 'ingest/cases', 'ingest/census'],
    outputs: ['cases', 'draws'],
  },
  {
    name: 'alerts',
    module: 'pipeline/model/forecast/alerts-stage.ts',
    reads: readsNothing,
    model: ['parameters.season'],
    inputs: [...AREAS, 'ingest/cases', 'ingest/census'],
    outputs: ['areas'],
  },
  {
    name: 'backtest',
    module: 'pipeline/validate/backtest/backtest-stage.ts',
    reads: readsNothing,
    model: ['parameters.season'],
    inputs: [...AREAS, 'ingest/cases', 'ingest/census'],
    outputs: ['skill', 'stretch', 'past'],
  },
  {
    name: 'transmission',
    module: 'pipeline/model/transmission/transmission-stage.ts',
    reads: readsNothing,
    model: ['parameters.transmission', 'parameters.seed', 'held_back'],
    inputs: [...AREAS, 'ingest/cases', 'ingest/census', 'zonal/lgas', 'season/rain'],
    outputs: ['model', 'fits'],
  },
];

/** Stages that only evaluate the others; a trial build may skip them. */
export const EVALUATION_STAGES: readonly string[] = ['validation', 'backtest'];

/** The artifacts that are tables; the others are JSON. */
export const STAGE_TABLES: readonly StageTable[] = [
  ingest,
  boundaries,
  zonal,
  context,
  survey,
  season,
  risk,
  forecast,
  alerts,
  backtest,
].flatMap((tables) => Object.values<unknown>(tables).filter(isStageTable));

/** Other exports of the modules are columns and lists. */
function isStageTable(value: unknown): value is StageTable {
  return typeof value === 'object' && value !== null && 'columns' in value && 'name' in value;
}

/** Every artifact that the snapshot is made from: the outputs of all stages. */
const ARTIFACTS: readonly string[] = STAGES.flatMap((stage) =>
  [...stage.outputs, 'report'].map((output) => `${stage.name}/${output}`),
);

/** The last stage makes the snapshot from the artifacts. It writes no artifact; its result is published. */
export const SNAPSHOT: CountryStage = {
  name: 'snapshot',
  module: 'pipeline/publish/snapshot-stage.ts',
  reads: () => true,
  publishes_catalog: true,
  model: [
    'updated_at',
    'country',
    'name',
    'synthetic',
    'territory',
    'release',
    'first_estimated',
    'last_estimated',
    'states',
    'parameters',
    'alert_evaluation',
  ],
  inputs: ARTIFACTS,
  outputs: [],
};

/** The named stages and those whose outputs they are made from, in the order of a build. */
export function stagesNeededFor(names: readonly string[]): CountryStage[] {
  const neededNames = new Set(names);
  for (const { name, inputs } of STAGES.toReversed())
    if (neededNames.has(name)) for (const input of inputs) neededNames.add(input.split('/')[0]!);
  return STAGES.filter(({ name }) => neededNames.has(name));
}

/** Every stage, in the order of a build. */
export const STAGE_NAMES = [...STAGES, SNAPSHOT].map(({ name }) => name);
