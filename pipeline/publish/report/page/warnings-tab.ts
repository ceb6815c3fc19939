import { periodName } from '../shared/names.ts';
import type { PageAlert } from '../shared/page-data.ts';
import { findRecordCode, monthsAhead } from './cases.ts';
import { hatchedKey, legendKey, NO_VALUE_FILL } from './colours.ts';
import { capitalize, formatCount, formatInteger, formatQuantiles, inSentence } from './format.ts';
import { areaName, data, fullName, isState, lgaByCode, lgasInView, view } from './store.ts';
import { figureColumn, listAreas, mapChoice, scopeName, selectedCode, sortByFigure, type Tab } from './tab.ts';

/** Share of the reports expected of a month below which missing reports come before all else. */
const FULL_REPORTING = 0.9;
/** The classes, the most urgent first: fill and meaning of the month reported, and meaning of the next. */
const CLASSES: [PageAlert['detection_class'], string, string, string][] = [
  ['alert', '#b3261e', 'alert: unusually many, or still so', 'alert: more than usual is likely'],
  ['watch', '#f2a33a', 'watch: many', 'watch: more than usual is possible'],
  ['fall', '#3f74b5', 'fall: unusually few', ''],
  ['none', '#eef0ea', 'nothing unusual', 'no warning'],
];
const { lga, state } = data.words;

const showsNext = () => mapChoice(warningsTab) === 'next';
const classIndex = (name: PageAlert['detection_class']) => CLASSES.findIndex(([other]) => other === name);
const shownClass = (alert: PageAlert) => (showsNext() ? alert.warning_class : alert.detection_class);
const alertOf = (code: string) => data.alerts[code]!;
const findAlertCode = (code: string) => findRecordCode(code, data.alerts);
const listedAlerts = () => listAreas().filter((code) => code in data.alerts);
const isInAlert = (code: string) => shownClass(alertOf(code)) === 'alert';
const isQuiet = (code: string) => alertOf(code).detection_class === 'none' && alertOf(code).warning_class === 'none';
/** Higher is more urgent: by the class shown, then the other, then the chance. */
const urgency = (code: string) => {
  const alert = alertOf(code);
  const classes = [classIndex(alert.detection_class), classIndex(alert.warning_class)];
  const [first, second] = showsNext() ? classes.reverse() : classes;
  return alert.warning_probability - 100 * first! - 10 * second!;
};
const chanceInWords = ({ warning_probability }: PageAlert) => inPercent(warning_probability);
const usualInWords = ({ usual_low, usual, usual_high }: PageAlert) => formatQuantiles([usual_low, usual, usual_high]);
const sinceInWords = (name: string, since: string | null) => since && `${name} since ${periodName(since)}`;
const classInWords = ({ detection_class, detection_since }: PageAlert) =>
  sinceInWords(detection_class, detection_since) ?? 'nothing unusual';
const warningInWords = ({ warning_class, warning_since }: PageAlert) => sinceInWords(warning_class, warning_since);
const reportedInWords = ({ cases }: PageAlert) => (cases === null ? 'no report' : formatInteger(cases));
const reportsInWords = ({ reporting_rate, completeness }: PageAlert) =>
  `${reporting_rate === null ? '' : `${Math.round(100 * reporting_rate)}% of the month’s reports; `}${Math.round(12 * completeness)} of 12 months`;
/** The first month to come and its forecast; null if it has none. */
const nextMonth = (code: string) => {
  const [ahead] = monthsAhead(code);
  return ahead === undefined ? null : { ...ahead, text: formatQuantiles(ahead.range) };
};

/** What to make sure of before anything is sent: whether the reports themselves explain it. */
function firstCheck(alert: PageAlert): string {
  const { detection_class, detection_since, warning_class, period, cases, reporting_rate, doubts } = alert;
  if (cases === null)
    return `the report of ${periodName(period)}, which is missing; the class is that of the month before`;
  if (doubts.length > 0) return `the reports, of which the data’s keepers say: ${doubts.join('; ')}`;
  if (detection_class === 'fall') return 'missing reports and tests out of stock, before believing in fewer cases';
  if (reporting_rate !== null && reporting_rate < FULL_REPORTING)
    return 'the reports still missing: the true number is higher';
  if (detection_class === 'none' && warning_class === 'none') return '—';
  if (detection_class === 'none') return 'tests and treatments in stock for the month to come';
  return detection_since === period
    ? 'a backlog or a mistake in this month’s report, with which it began'
    : `whether more was tested or reported from ${periodName(detection_since!)} on; then the place itself`;
}

/** What to check first, and how complete the reports are. */
const checksInWords = (alert: PageAlert) =>
  [capitalize(firstCheck(alert)), reportsInWords(alert)].filter((text) => text !== '—').join('; ');

export const warningsTab: Tab = {
  id: 'warnings',
  months: [],
  period: () => lastPeriod(),
  lists: 'all',
  choices: [
    ['now', 'The month reported'],
    ['next', 'The next month'],
  ],
  paint: (code) => {
    const recordCode = findAlertCode(code);
    return recordCode === null
      ? { fill: NO_VALUE_FILL }
      : { fill: CLASSES[classIndex(shownClass(alertOf(recordCode)))]![1], isUncertain: recordCode !== code };
  },
  legend: () => ({
    keys: [
      ...CLASSES.flatMap(([, fill, now, next]) => {
        const meaning = showsNext() ? next : now;
        return meaning === '' ? [] : [legendKey(fill, meaning)];
      }),
      hatchedKey(`no record of its own: that of its ${state.one}`),
      legendKey(NO_VALUE_FILL, 'no case records'),
    ],
    note: classesInWords(),
  }),
  headline: () => {
    const code = selectedCode();
    const recordCode = code === null ? null : findAlertCode(code);
    if (code !== null && recordCode === null) return `${fullName(code)} has no case records, so nothing warns of it`;
    const month = showsNext() ? 'next month' : periodName(lastPeriod());
    if (recordCode === null)
      return `${data.country}, ${month}: ${groupsInWords(listedAlerts().filter(isInAlert), nameOfAny) || 'no area on alert'}`;
    const alert = alertOf(recordCode);
    const words = showsNext() ? (warningInWords(alert) ?? 'no warning') : classInWords(alert);
    const lgaCodes = view.lga === null ? lgasInView().filter((one) => one in data.alerts) : [];
    const groups =
      lgaCodes.length > 0
        ? `; of its ${lga.many} ${groupsInWords(lgaCodes, areaName) || 'none on alert or watch'}`
        : '';
    return `${fullName(recordCode)}: ${words}${groups}`;
  },
  sentences: () => {
    const code = selectedCode();
    const recordCode = code === null ? null : findAlertCode(code);
    if (recordCode !== null) return describeAlert(code!, recordCode);
    const codes = listedAlerts();
    const others = groupsInWords(
      codes.filter((one) => !isInAlert(one)),
      nameOfAny,
    );
    const lgaCount = codes.filter((one) => !isState(one)).length;
    return [
      ...(others === '' ? [] : [`Besides, ${others}.`]),
      'Before anything is sent, see what to check first.',
      `Records: ${formatCount(codes.length - lgaCount, state)} and ${formatCount(lgaCount, lga)} of ${scopeName()}. ${UNIT_NOTE}`,
    ];
  },
  method: () => [
    ...data.alert_scores.map(
      ({ area, found_within_2, false_alerts_per_area_year }) =>
        `When changes were put into the records of ${area === 'lga' ? lga.many : state.many}, ${inPercent(found_within_2)} of the rises were in alert within two months; without a change, ${inPercent(false_alerts_per_area_year)} of them have a false alert in a year.`,
    ),
    `What is usual is a forecast of the month made nine to twelve months before, without months that were in alert. Where many ${lga.many} of one ${state.one} rise at once, a chance below ${inPercent(limits.widespread.forecast)} by both forecasts is enough for an alert.`,
    'An alert moves no score, and it is about reports: late ones, a new way of reporting or missing tests look like an outbreak or its end. It rests on no test of children, so places where none was tested are not marked here.',
  ],
  tooltip: (code) => {
    const recordCode = findAlertCode(code);
    if (recordCode === null) return ['no case records'];
    const alert = alertOf(recordCode);
    const whose = recordCode === code ? '' : `${fullName(recordCode)}: `;
    return [
      `${whose}${classInWords(alert)} in its reports`,
      `${reportedInWords(alert)} reported, ${usualInWords(alert)} usual`,
    ];
  },
  sortCodes: (codes) =>
    sortByFigure(
      codes.filter((code) => code in data.alerts),
      urgency,
    ),
  columns: () => [
    { head: 'Reports', cell: (code) => classInWords(alertOf(code)), sortValue: urgency },
    {
      head: `${periodName(lastPeriod())}: reported, usual`,
      kind: 'number wrapped',
      cell: (code) => `${reportedInWords(alertOf(code))}; ${usualInWords(alertOf(code))}`,
      sortValue: (code) => alertOf(code).cases ?? -1,
    },
    { head: 'Next month', kind: 'number wrapped', cell: (code) => nextMonth(code)?.text ?? '—' },
    figureColumn(
      'Chance above usual',
      (code) => alertOf(code).warning_probability,
      (code) => chanceInWords(alertOf(code)),
    ),
    { head: 'Check first; reporting', kind: 'advice', cell: (code) => checksInWords(alertOf(code)) },
  ],
  isQuiet,
  caption: () => `Most urgent first. ${UNIT_NOTE} Ranges are 90%.`,
  downloadFields: (code) => {
    const recordCode = findAlertCode(code);
    if (recordCode === null) return { record_of: null };
    const alert = alertOf(recordCode);
    const { doubts: _, area: __, code: ___, ...fields } = alert;
    const [forecast_low = null, forecast = null, forecast_high = null] = monthsAhead(recordCode)[0]?.range ?? [];
    return { record_of: recordCode, ...fields, forecast, forecast_low, forecast_high, check_first: firstCheck(alert) };
  },
};
const inPercent = (share: number) => `${Math.round(100 * share)}%`;
const MAX_NAMED = 5;
const limits = data.alert_limits;
/** The last month that any area reported. */
const lastPeriod = () => Object.values(data.alerts).reduce((last, { period }) => (period > last ? period : last), '');
const UNIT_NOTE =
  data.cases_in === 'cases'
    ? 'Figures are cases.'
    : 'Figures are an index: 100 is the mean of an area’s last twelve known months.';

/** `Ekiti state`, `Jos South in Plateau`. */
const nameOfAny = (code: string) =>
  isState(code) ? `${areaName(code)} ${state.one}` : `${areaName(code)} in ${areaName(lgaByCode(code).state_code)}`;

/** `2 on watch (Argungu and Koko/Besse) and 1 reporting unusually few (Dandi)`: how many areas are in each class; empty if none is. */
function groupsInWords(codes: string[], name: (code: string) => string): string {
  const groups = CLASSES.slice(0, -1).flatMap(([className]) => {
    const members = codes.filter((code) => shownClass(alertOf(code)) === className);
    const names = sortByFigure(members, urgency).map(name);
    const more = members.length > MAX_NAMED ? [`${members.length - MAX_NAMED} more`] : [];
    const words = className === 'fall' ? 'reporting unusually few' : `on ${className}`;
    return members.length === 0
      ? []
      : [`${members.length} ${words} (${inSentence([...names.slice(0, MAX_NAMED), ...more])})`];
  });
  return inSentence(groups);
}

/** What the classes mean, and why figures within the usual range may be in one. */
function classesInWords(): string {
  const chances = ({ forecast, usual }: (typeof limits)['fall']) =>
    `${inPercent(forecast)} by the forecast of the month before and ${inPercent(usual)} by that of a year before, the usual`;
  return showsNext()
    ? `Alert: a chance of ${inPercent(data.warning_limits.alert)} or more to exceed the usual range; watch: ${inPercent(data.warning_limits.watch)} or more.`
    : `Alert: so many cases had a chance below ${chances(limits.alert)}; it lasts until cases are back to the usual. Watch: below ${inPercent(limits.watch.forecast)} and ${inPercent(limits.watch.usual)}. Fall: so few, below ${inPercent(limits.fall.forecast)} and ${inPercent(limits.fall.usual)}. A figure far from the forecast can thus be in a class although it is within its usual 90% range, and one far above the usual in none, if the months before foretold it.`;
}

/** @param code the place asked for; the record may be its state's */
function describeAlert(code: string, recordCode: string): string[] {
  const alert = alertOf(recordCode);
  const ahead = nextMonth(recordCode);
  return [
    ...(recordCode === code ? [] : [`${fullName(code)} has no record of its own; this is its ${state.one}’s.`]),
    `${periodName(alert.period)}: ${reportedInWords(alert)} reported, where ${usualInWords(alert)} is usual.${ahead ? ` Forecast for ${periodName(ahead.period)}: ${ahead.text}; chance of more than usual then: ${chanceInWords(alert)}; warning: ${warningInWords(alert) ?? 'none'}.` : ''} ${UNIT_NOTE}`,
    `Reporting: ${reportsInWords(alert)}. Check first: ${firstCheck(alert)}.`,
  ];
}
