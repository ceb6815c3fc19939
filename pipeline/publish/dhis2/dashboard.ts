/** Legends, maps, a chart and a dashboard, so that an administrator who imports one file can look at the values. */
import type { Manifest } from '../../contract/manifest.ts';
import { addMonths, FORECAST_MONTHS, type Period } from '../../contract/months.ts';
import { countryWords } from '../../contract/words.ts';
import type { AreaMonth } from './data-values.ts';
import {
  ALERT_FIGURES,
  type AreaLevel,
  dataElement,
  type Figure,
  legendSetId,
  objectCode,
  objectName,
  SCORE_FIGURES,
  stableUid,
} from './metadata.ts';
import type { Place, Units } from './units.ts';

/** A map of one figure in one month, over all areas of a level that have a unit. */
export interface MapOfFigure {
  /** What it is called in every version, so that a later one updates it. */
  key: string;
  title: string;
  figure: Figure;
  level: AreaLevel;
  period: Period;
}
/** A line for each figure over months, of one area. */
export interface ChartOfFigures {
  title: string;
  figures: readonly Figure[];
  periods: readonly Period[];
  place: Place;
}

const NOTE =
  'Maps and charts show single months and the areas that each element is made for. DHIS2 can also average over ' +
  'months or areas: such an average of classes, ranges or probabilities means nothing, and that of scores counts ' +
  'every area alike. For an upper area use the element of its own level.';

/**
 * In the form of `/api/metadata`, as DHIS2 2.42 imports and shows it (with `columns` and `filters` maps stay empty).
 */
export function dhis2Dashboard(
  manifest: Pick<Manifest, 'synthetic' | 'territory'>,
  units: Units,
  mapsOfFigures: readonly MapOfFigure[],
  chart: ChartOfFigures | null,
) {
  const { synthetic } = manifest;
  const identify = (kind: string, ...parts: string[]) => {
    const code = objectCode(synthetic, ...parts);
    return { id: stableUid(kind, code), code };
  };
  const elementItem = (figure: Figure, level: AreaLevel) => ({
    dataDimensionItemType: 'DATA_ELEMENT',
    dataElement: { id: dataElement(figure, level, manifest, countryWords(manifest.territory)).id },
  });
  const maps = mapsOfFigures.map(({ key, title, figure, level, period }) => {
    const name = objectName(synthetic, title);
    const { id, code } = identify('map', 'map', key);
    const dhis2Period = period.replace('-', '');
    return {
      id,
      code,
      name,
      basemap: 'osmLight',
      ...mapCentre(units),
      zoom: 6,
      mapViews: [
        {
          id: stableUid('mapView', code),
          name,
          layer: 'thematic',
          thematicMapType: 'CHOROPLETH',
          renderingStrategy: 'SINGLE',
          aggregationType: 'DEFAULT',
          legendSet: { id: legendSetId(manifest, figure.legendSet!) },
          method: 1,
          opacity: 0.9,
          columnDimensions: ['dx'],
          filterDimensions: ['pe'],
          rawPeriods: [dhis2Period],
          periods: [{ id: dhis2Period }],
          dataDimensionItems: [elementItem(figure, level)],
          ...unitsOfLevel(units, level),
        },
      ],
    };
  });
  const visualizations = (chart ? [chart] : []).map(({ title, figures, periods, place }) => ({
    ...identify('visualization', 'chart', 'forecast'),
    name: objectName(synthetic, title),
    type: 'LINE',
    skipRounding: true,
    columnDimensions: ['dx'],
    rowDimensions: ['pe'],
    filterDimensions: ['ou'],
    rawPeriods: periods.map((period) => period.replace('-', '')),
    periods: periods.map((period) => ({ id: period.replace('-', '') })),
    dataDimensionItems: figures.map((figure) => elementItem(figure, place.area)),
    organisationUnits: [{ id: units.ids.get(place.code)! }],
  }));
  const items = [
    ...maps.map(({ id }) => ({ type: 'MAP', map: { id } })),
    ...visualizations.map(({ id }) => ({ type: 'VISUALIZATION', visualization: { id } })),
    { type: 'TEXT', text: NOTE },
  ];
  const { id, code } = identify('dashboard', 'risk');
  const dashboardItems = items.map((item, i) => ({
    id: stableUid('dashboardItem', `${code} ${i}`),
    ...item,
    x: 30 * (i % 2),
    y: 20 * Math.floor(i / 2),
    w: 30,
    h: 20,
  }));
  return { maps, visualizations, dashboards: [{ id, code, name: objectName(synthetic, 'risk'), dashboardItems }] };
}

/** The last estimate and the last forecast of the lower level. */
export function mapsOfClasses(lastEstimated: Period): MapOfFigure[] {
  const figure = SCORE_FIGURES.find(({ column }) => column === 'class')!;
  const lastForecast = addMonths(lastEstimated, FORECAST_MONTHS);
  const level = 'lga';
  return [
    { key: 'estimate', title: `risk class, ${lastEstimated}`, figure, level, period: lastEstimated },
    { key: 'forecast', title: `risk class, forecast for ${lastForecast}`, figure, level, period: lastForecast },
  ];
}

/** Alerts of the month that most areas reached, of the lower level if it has records. */
export function mapsOfAlerts(alerts: readonly AreaMonth[]): MapOfFigure[] {
  const [detection, warning] = ALERT_FIGURES as [Figure, Figure];
  const level = alerts.some(({ area }) => area === 'lga') ? 'lga' : 'state';
  const detections = alerts.filter((row) => row.area === level && row[detection.column] !== null);
  const byPeriod = [...Map.groupBy(detections, ({ period }) => period)].sort((a, b) => b[1].length - a[1].length);
  return byPeriod.slice(0, 1).flatMap(([period]) => {
    const next = addMonths(period, 1);
    return [
      { key: 'detection', title: `alerts, ${period}`, figure: detection, level, period },
      { key: 'warning', title: `warnings, ${next}`, figure: warning, level, period: next },
    ];
  });
}

/** A line for each figure with a range in the forecast months of the first state that has a unit and forecasts. */
export function chartOfForecasts(
  { figures, rows }: { figures: readonly Figure[]; rows: readonly AreaMonth[] },
  { places, ids }: Units,
): ChartOfFigures | null {
  const lines = figures.filter(({ legendSet }) => !legendSet);
  const forecasts = Map.groupBy(
    rows.filter(({ area, monthsAhead }) => area === 'state' && monthsAhead > 0),
    ({ code }) => code,
  );
  const place = places.find(({ area, code }) => area === 'state' && ids.has(code) && forecasts.has(code));
  if (!place || lines.length === 0) return null;
  const periods = forecasts.get(place.code)!.map(({ period }) => period);
  return { title: `forecast with its range, ${place.name}`, figures: lines, periods, place };
}

/** The units with values of a level: those below the units above them, if the map says which level of DHIS2 it is. */
function unitsOfLevel({ ids, places, levels }: Units, level: AreaLevel) {
  const idsOfLevel = (area: AreaLevel) =>
    places.filter((place) => place.area === area).flatMap(({ code }) => ids.get(code) ?? []);
  const upper = idsOfLevel('state');
  const dhis2Level = levels.get(level);
  if (level === 'lga' && dhis2Level !== undefined && upper.length > 0)
    return { organisationUnits: upper.map((id) => ({ id })), organisationUnitLevels: [dhis2Level] };
  return { organisationUnits: idsOfLevel(level).map((id) => ({ id })) };
}

function mapCentre({ places }: Units) {
  const middle = (values: number[]) => Number(((Math.min(...values) + Math.max(...values)) / 2).toFixed(2));
  return {
    longitude: middle(places.map(({ longitude }) => longitude)),
    latitude: middle(places.map(({ latitude }) => latitude)),
  };
}
