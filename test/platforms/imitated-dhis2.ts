/**
 * A DHIS2 in memory, as far as the page on DHIS2 needs one. It answers in the form of the recorded answers of 2.42.4.1
 * and 2.43.1, and refuses what those servers were seen to refuse.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DataValue } from '../../pipeline/publish/dhis2/data-values.ts';

export const VERSIONS = ['2.42.4.1', '2.43.1'] as const;
export type Version = (typeof VERSIONS)[number];

/** What a server may do wrong. */
export interface Faults {
  /** Changes the value that arrives as number `index`, from 0, before it is stored; null is not stored. */
  store?: (value: DataValue, index: number) => DataValue | null;
  /** Analytics rounds to two decimals although it is asked not to. */
  alwaysRounds?: boolean;
  /** The user may not prune, so that audits of deleted values remain. */
  refusesPruning?: boolean;
  /** Units open after all months of the values. */
  opensLate?: boolean;
}

interface Stored {
  id: string;
  code?: string;
  parent?: { id: string };
  openingDate?: string;
  dataSetElements?: { dataElement: { id: string } }[];
  organisationUnits?: { id: string }[];
  aggregationType?: string;
  [name: string]: unknown;
}
type Metadata = Record<string, Stored[]>;
interface ValueFile {
  dataSet: string;
  dataValues: DataValue[];
}
interface Answer {
  status: number;
  content: unknown;
}

export const USER = { user: 'admin', password: 'a "district" \\ 1' };
const ROOT_UNIT: Stored = { id: 'RootUnit001', code: 'ROOT', name: 'Madeupia', openingDate: '1990-01-01' };
/** The default combination of categories, as it is recorded. */
const DEFAULT_COMBINATION = 'HllvX50cXC0';
const ok = (content: unknown): Answer => ({ status: 200, content });
/** How DHIS2 wraps the account of an import. */
const webMessage = (isRefused: boolean, response: object): Answer =>
  isRefused
    ? { status: 409, content: { httpStatus: 'Conflict', httpStatusCode: 409, status: 'WARNING', response } }
    : ok({ httpStatus: 'OK', httpStatusCode: 200, status: 'OK', response });
const keyOf = ({ dataElement, period, orgUnit }: DataValue) => `${dataElement} ${period} ${orgUnit}`;

/** Starts the server on a free port of this host. */
export async function startDhis2(version: Version, faults: Faults = {}): Promise<{ url: string; close: () => void }> {
  const answer = imitate(version, faults);
  const credentials = `Basic ${Buffer.from(`${USER.user}:${USER.password}`).toString('base64')}`;
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const { status, content } =
      request.headers.authorization === credentials
        ? answer(request.method!, new URL(request.url!, 'http://dhis2'), body)
        : { status: 401, content: { httpStatus: 'Unauthorized', httpStatusCode: 401, status: 'ERROR' } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function imitate(version: Version, faults: Faults) {
  const objects = new Map<string, { type: string; object: Stored }>();
  objects.set(ROOT_UNIT.id, { type: 'organisationUnits', object: ROOT_UNIT });
  const values = new Map<string, DataValue>();
  /** Elements of which values were stored, until they are pruned. */
  const audited = new Set<string>();
  let analyticsValues: DataValue[] = [];
  let arrivals = 0;

  const listObjects = (type: string) => [...objects.values()].filter((entry) => entry.type === type);
  /** Units from one up to the root. */
  const listAncestors = (id: string): string[] => {
    const parent = objects.get(id)?.object.parent?.id;
    return parent === undefined ? [id] : [id, ...listAncestors(parent)];
  };

  function report(errors: { uid: string; errorCode: string; message: string }[]): Answer {
    const isRefused = errors.length > 0;
    const objectReports = errors.map(({ uid, ...error }) => ({ uid, errorReports: [error] }));
    const status = isRefused ? 'ERROR' : 'OK';
    return webMessage(isRefused, { responseType: 'ImportReport', status, typeReports: [{ objectReports }] });
  }

  function importMetadata(metadata: Metadata, options: URLSearchParams): Answer {
    const entries = Object.entries(metadata).flatMap(([type, list]) => list.map((object) => ({ type, object })));
    const ids = new Set(entries.map(({ object }) => object.id));
    if (options.get('importStrategy') === 'DELETE') {
      const others = [...objects.values()].filter(({ object }) => !ids.has(object.id));
      const errors = [...ids].flatMap((uid) => {
        const user = others.find(({ object }) => JSON.stringify(object).includes(`"id":"${uid}"`));
        const cause = user?.type ?? (audited.has(uid) ? 'DataValueAudit' : null);
        return cause
          ? [{ uid, errorCode: 'E4030', message: `Object could not be deleted: associated with ${cause}` }]
          : [];
      });
      if (errors.length === 0) for (const id of ids) objects.delete(id);
      return report(errors);
    }
    const errors = entries.flatMap(({ object }) => {
      const units = (object.organisationUnits ?? []).map(({ id }) => id);
      const elements = (object.dataSetElements ?? []).map(({ dataElement }) => dataElement.id);
      const missing = [...units, ...elements, ...(object.parent ? [object.parent.id] : [])].find(
        (id) => !ids.has(id) && !objects.has(id),
      );
      return missing
        ? [{ uid: object.id, errorCode: 'E5002', message: `Invalid reference [${missing}] on object ${object.id}` }]
        : [];
    });
    if (errors.length === 0 && options.get('importMode') !== 'VALIDATE')
      for (const entry of entries) objects.set(entry.object.id, entry);
    return report(errors);
  }

  /** What refuses a value: 2.43 refuses the whole file for one. */
  function findConflict({ dataElement, period, orgUnit }: DataValue, dataSet: Stored | undefined): string | null {
    if (!dataSet?.dataSetElements?.some((entry) => entry.dataElement.id === dataElement)) return 'E8021';
    if (!dataSet.organisationUnits?.some(({ id }) => id === orgUnit)) return 'E8022';
    const opens = faults.opensLate ? '2100-01-01' : objects.get(orgUnit)!.object.openingDate!;
    return opens.slice(0, 7).replace('-', '') > period ? 'E8031' : null;
  }

  function importValues({ dataSet, dataValues }: ValueFile, options: URLSearchParams): Answer {
    const conflicts = dataValues.flatMap((value) => {
      const errorCode = findConflict(value, objects.get(dataSet)?.object);
      return errorCode ? [{ object: value.orgUnit, value: keyOf(value), errorCode }] : [];
    });
    const importCount = { imported: 0, updated: 0, ignored: 0, deleted: 0 };
    const isRefused = conflicts.length > 0;
    if (isRefused || options.get('dryRun') === 'true') importCount.ignored = dataValues.length;
    else if (options.get('importStrategy') === 'DELETE')
      for (const value of dataValues) importCount.deleted += Number(values.delete(keyOf(value)));
    else
      for (const value of dataValues) {
        const before = values.get(keyOf(value));
        const isSame = before?.value === value.value && before.comment === value.comment;
        importCount[version === '2.43.1' ? 'updated' : isSame ? 'ignored' : before ? 'updated' : 'imported']++;
        audited.add(value.dataElement);
        const changed = faults.store ? faults.store(value, arrivals++) : value;
        if (changed) values.set(keyOf(changed), changed);
      }
    const status = isRefused ? 'WARNING' : 'SUCCESS';
    return webMessage(isRefused, { responseType: 'ImportSummary', status, importCount, conflicts });
  }

  /** The values of a data set, of a unit and those below it. */
  function listValues(query: URLSearchParams): Answer {
    const dataSet = objects.get(query.get('dataSet')!)?.object;
    if (!dataSet) return { status: 409, content: { httpStatus: 'Conflict', httpStatusCode: 409, status: 'ERROR' } };
    const months = ['startDate', 'endDate'].map((name) => query.get(name)!.slice(0, 7).replace('-', ''));
    const elements = new Set(dataSet.dataSetElements!.map(({ dataElement }) => dataElement.id));
    const dates = { created: '2026-11-27T14:01:52.000+0000', lastUpdated: '2026-11-27T14:01:52.000+0000' };
    const dataValues = [...values.values()].filter(
      ({ dataElement, period, orgUnit }) =>
        elements.has(dataElement) &&
        period >= months[0]! &&
        period <= months[1]! &&
        listAncestors(orgUnit).includes(query.get('orgUnit')!),
    );
    const combinations = { categoryOptionCombo: DEFAULT_COMBINATION, attributeOptionCombo: DEFAULT_COMBINATION };
    if (version === '2.42.4.1')
      return ok({
        dataValues: dataValues.map(({ value, comment = null, ...key }) => ({
          ...key,
          ...combinations,
          value,
          storedBy: USER.user,
          ...dates,
          comment,
          followup: false,
        })),
      });
    // 2.43 has at the top what all values share.
    const common: Partial<DataValue> = {};
    for (const name of ['period', 'orgUnit'] as const)
      if (new Set(dataValues.map((value) => value[name])).size === 1) common[name] = dataValues[0]![name];
    const rest = dataValues.map((value) =>
      Object.fromEntries(
        Object.entries({ ...value, ...combinations, storedBy: USER.user, ...dates }).filter(
          ([name]) => !(name in common),
        ),
      ),
    );
    return ok({ dataSet: dataSet.id, ...common, dataValues: rest });
  }

  /** Means of elements in months over the units of a level below another one, each with all below it. */
  function analyse(query: URLSearchParams): Answer {
    const [elements = [], [level = '', above = ''] = [], periods = []] = ['dx', 'ou', 'pe'].map((name) =>
      query
        .getAll('dimension')
        .find((dimension) => dimension.startsWith(`${name}:`))!
        .slice(3)
        .split(';'),
    );
    if (elements.some((id) => objects.get(id)?.object.aggregationType === 'NONE'))
      return { status: 409, content: { httpStatus: 'Conflict', httpStatusCode: 409, errorCode: 'E7115' } };
    const rounds = faults.alwaysRounds || query.get('skipRounding') !== 'true';
    const cells = analyticsValues.flatMap(({ dataElement, period, orgUnit, value }) => {
      const ancestors = listAncestors(orgUnit);
      const unit = ancestors.at(-Number(level.replace('LEVEL-', '')));
      return unit && ancestors.includes(above) && elements.includes(dataElement) && periods.includes(period)
        ? [{ key: [dataElement, unit, period], value: Number(value) }]
        : [];
    });
    const rows = [...Map.groupBy(cells, ({ key }) => key.join(' ')).values()].map((group) => {
      const mean = group.reduce((sum, { value }) => sum + value, 0) / group.length;
      return [...group[0]!.key, String(rounds ? Math.round(mean * 100) / 100 : mean)];
    });
    const headers = ['dx', 'ou', 'pe', 'value'].map((name) => ({ name, hidden: false, meta: name !== 'value' }));
    return ok({ headers, rows, width: headers.length, height: rows.length });
  }

  return (method: string, { pathname, searchParams }: URL, body: string): Answer => {
    const [, type = '', id = ''] = /^\/api\/([^/.]+)(?:\.json|\/(.+))?$/.exec(pathname) ?? [];
    switch (`${method} ${type}`) {
      case 'GET system':
        return ok(
          pathname.startsWith('/api/system/info')
            ? { version }
            : [{ category: 'ANALYTICS_TABLE', level: 'INFO', completed: true }],
        );
      case 'GET me':
        return ok({ organisationUnits: [{ id: ROOT_UNIT.id, level: 1 }] });
      case 'POST metadata':
        return importMetadata(JSON.parse(body), searchParams);
      case 'POST dataValueSets':
        return importValues(JSON.parse(body), searchParams);
      case 'GET dataValueSets':
        return listValues(searchParams);
      case 'POST resourceTables':
        analyticsValues = [...values.values()];
        return ok({
          status: 'OK',
          response: { relativeNotifierEndpoint: '/api/system/tasks/ANALYTICS_TABLE/Job00000001' },
        });
      case 'GET analytics':
        return analyse(searchParams);
      case 'POST maintenance':
        if (faults.refusesPruning) return { status: 403, content: { httpStatus: 'Forbidden', httpStatusCode: 403 } };
        audited.delete(id.replace('dataPruning/dataElements/', ''));
        return ok({ httpStatus: 'OK', httpStatusCode: 200, status: 'OK' });
      case 'GET organisationUnits':
        if (id === '')
          return ok({
            organisationUnits: listObjects(type).map(({ object }) => ({
              ...object,
              level: listAncestors(object.id).length,
            })),
          });
    }
    const entry = objects.get(id);
    return method === 'GET' && entry?.type === type
      ? ok(entry.object)
      : { status: 404, content: { httpStatus: 'Not Found', httpStatusCode: 404, status: 'ERROR', errorCode: 'E1005' } };
  };
}
