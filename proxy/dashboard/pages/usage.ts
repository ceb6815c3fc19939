/** Usage: this month's count against the allowance, and requests by day and operation. */

import { ERRORS, FAULTS } from '../../../pipeline/contract/errors.ts';
import { ALL_OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { DAY_MS } from '../../../pipeline/lib/clock.ts';
import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { type Column, renderTable } from '../../../pipeline/lib/pages/table.ts';
import { monthAt } from '../../limits/calendar-month.ts';
import type { Account } from '../../store/row-types.ts';
import { type OwnerUsage, utcDay } from '../../store/usage-counts.ts';
import { facts, number, problem } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';
import { type DayCount, dayPlot } from './plot.ts';

const SPANS = [30, 90] as const;

/** This month's count of `account` against its allowance. */
export async function monthSection(account: Account, { usage, clock, perMinute, perMonth }: Services): Promise<Html> {
  const now = clock.wallMs();
  const used = await usage.grantedInMonth(account.id, now);
  const most = account.per_month ?? perMonth;
  const { endMs } = monthAt(now);
  const days = Math.ceil((endMs - now) / DAY_MS);
  const share = Math.min(1, used / most);
  const name = new Date(now).toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return html`<section><h2>${name}</h2>
    <p class="allowance"><strong>${number(used)}</strong> of ${number(most)} requests</p>
    <svg class="gauge${share >= 0.9 && ' full'}" viewBox="0 0 100 2" preserveAspectRatio="none" role="img" aria-label="${Math.floor(share * 100)}% of the allowance used">
      <rect class="rest" width="100" height="2"/><rect class="used" width="${Math.round(share * 1000) / 10}" height="2"/></svg>
    ${facts([
      ['Left this month', number(Math.max(0, most - used))],
      [
        'Resets',
        html`<time datetime="${new Date(endMs).toISOString()}">${utcDay(endMs)} 00:00 UTC</time> <span class="soft">in ${days} ${days === 1 ? 'day' : 'days'}</span>`,
      ],
      ['Per minute, per key', `${number(account.per_minute ?? perMinute)} requests`],
    ])}
    <p class="soft">Only requests with live keys count towards the allowance. Requests over a limit are refused with
    status 429.</p></section>`;
}

const sum = (rows: readonly OwnerUsage[], kind: 'live' | 'test' | null, what: 'granted' | 'refused' = 'granted') =>
  rows.reduce((total, row) => (kind === null || row.kind === kind ? total + row[what] : total), 0);

function byDay(rows: readonly OwnerUsage[], days: readonly string[]): DayCount[] {
  const rowsByDay = Map.groupBy(rows, ({ day }) => day);
  return days.map((day) => {
    const dayRows = rowsByDay.get(day) ?? [];
    return { day, live: sum(dayRows, 'live'), test: sum(dayRows, 'test') };
  });
}

const operationPath = (operation: string) => ALL_OPERATIONS.find(({ id }) => id === operation)?.path ?? 'other paths';

interface Group {
  title: string;
  rows: OwnerUsage[];
}

function groupUsage(rows: readonly OwnerUsage[], rowTitle: (row: OwnerUsage) => string): Group[] {
  const groups = [...Map.groupBy(rows, rowTitle)].map(([title, groupRows]) => ({ title, rows: groupRows }));
  return groups.sort((a, b) => sum(b.rows, null) - sum(a.rows, null) || (a.title < b.title ? -1 : 1));
}

/** The requests of an account in the last `span` days, and the errors among them. */
export async function accountUsage({ id }: Account, span: number, now: number, services: Services): Promise<Html> {
  await services.flushUsage();
  const since = utcDay(now - (span - 1) * DAY_MS);
  const rows = await services.usage.listUsage(id, since);
  return html`${usageSections(rows, span, now)}${errorsSection(await services.usage.listErrors(id, since), services)}`;
}

/** Requests of the last `span` days, by day and operation, as plots and as tables. */
function usageSections(rows: readonly OwnerUsage[], span: number, now: number): Html {
  const days = Array.from({ length: span }, (_, i) => utcDay(now - (span - 1 - i) * DAY_MS));
  if (rows.length === 0) {
    return html`<section class="empty"><p>No requests in the last ${span} days.</p></section>`;
  }
  const operations = groupUsage(rows, ({ operation }) => operationPath(operation));
  const keys = groupUsage(rows, ({ key_name, key_id }) => `${key_name} (${key_id})`);
  const total = sum(rows, null);
  const label = `${number(total)} requests in ${span} days; the table below has the numbers`;
  const counts: Column<Group>[] = [
    { title: 'Live', variant: 'number', cell: (group) => number(sum(group.rows, 'live')) },
    { title: 'Test', variant: 'number', cell: (group) => number(sum(group.rows, 'test')) },
    {
      title: 'Refused (429)',
      variant: 'number',
      cell: (group) => number(sum(group.rows, null, 'refused')),
    },
  ];
  const dayRows = byDay(rows, days)
    .filter(({ live, test }) => live + test > 0)
    .reverse();
  return html`<section><h2>By day</h2>
    <p class="key"><span class="swatch live"></span> live keys <span class="swatch test"></span> test keys</p>
    ${dayPlot(label, byDay(rows, days), { width: 760, height: 240, hasAxes: true, on: 'broad' })}
    ${dayPlot(label, byDay(rows, days), { width: 330, height: 190, hasAxes: true, on: 'narrow' })}
    <details><summary>Show as a table</summary>
    ${renderTable(
      'Requests by day',
      [
        { title: 'Day (UTC)', cell: ({ day }) => day },
        { title: 'Live', variant: 'number', cell: ({ live }) => number(live) },
        { title: 'Test', variant: 'number', cell: ({ test }) => number(test) },
      ],
      dayRows,
    )}</details></section>
    <section><h2>By operation</h2>
    ${renderTable(
      'Requests by operation',
      [
        { title: 'Operation', cell: (group) => html`<code>${group.title}</code>` },
        {
          title: 'By day',
          cell: (group) =>
            dayPlot(`${group.title}: ${number(sum(group.rows, null))} requests`, byDay(group.rows, days), {
              width: 240,
              height: 32,
              hasAxes: false,
            }),
        },
        ...counts,
      ],
      operations,
    )}</section>
    <section><h2>By key</h2>
    ${renderTable('Requests by key', [{ title: 'Key', cell: (group) => group.title }, ...counts], keys)}</section>`;
}

type Failed = Awaited<ReturnType<Services['usage']['listErrors']>>[number];
const PROBLEMS_BY_CODE: Readonly<Record<string, { status: number; title: string } | undefined>> = {
  ...ERRORS,
  ...FAULTS,
};

/** Errors by status and code, each with its meaning; nothing if there were none. */
function errorsSection(rows: readonly Failed[], { words }: Services): Html | false {
  const codes = [...Map.groupBy(rows, ({ code }) => code)].map(([code, operations]) => ({
    code,
    operations,
    meaning: PROBLEMS_BY_CODE[code],
  }));
  if (codes.length === 0) return false;
  return html`<section><h2>Errors</h2>
    ${renderTable(
      'Errors by status and code',
      [
        { title: 'Status', cell: ({ meaning }) => meaning?.status ?? '' },
        { title: 'Code', cell: ({ code }) => html`<code>${code}</code>` },
        { title: 'Meaning', cell: ({ meaning }) => words(meaning?.title ?? '').replaceAll('`', '') },
        {
          title: 'Operations',
          cell: ({ operations }) => operations.map(({ operation }) => operationPath(operation)).join(', '),
        },
        {
          title: 'Requests',
          variant: 'number',
          cell: ({ operations }) => number(operations.reduce((sum, { count }) => sum + count, 0)),
        },
      ],
      codes,
    )}</section>`;
}

/** The span of days that was requested, and links to the others. */
export function requestedSpan(visit: SignedIn, path: string): { span: number; links: Html } {
  const span = SPANS.find((days) => String(days) === visit.query.text('days')) ?? SPANS[0];
  const links = html`<p class="soft">Last ${SPANS.map(
    (days, i) =>
      html`${i > 0 && ' · '}${
        days === span ? html`<strong>${days} days</strong>` : html`<a href="${path}?days=${days}">${days} days</a>`
      }`,
  )}, by UTC day</p>`;
  return { span, links };
}

/** With a hundred keys in use, rendering the page takes some 0.4 s, and the API waits meanwhile. */
const MOST_A_MINUTE = 30;

async function usagePage(visit: SignedIn, services: Services): Promise<Answer> {
  const account = visit.visitor.account!;
  const allowance = { name: `usage of ${account.id}`, limit: MOST_A_MINUTE, windowMs: 60_000 };
  const retryAfterMs = await services.attempts.charge([allowance], visit.now);
  if (retryAfterMs !== null) {
    const body = html`<p class="kicker">Settings</p><h1>Usage</h1>${problem('Too many requests', 'Try again in a minute.')}`;
    return { title: 'Usage', status: 429, body, retryAfterMs };
  }
  const { span, links } = requestedSpan(visit, '/settings/usage');
  const body = html`<p class="kicker">Settings</p><h1>Usage</h1>
    ${await monthSection(account, services)}
    ${links}
    ${await accountUsage(account, span, visit.now, services)}`;
  return { title: 'Usage', body };
}

export const usageRoutes = routes('/settings/usage', ['administrator', 'member', 'researcher'], { GET: usagePage });
