/** Usage: this month's count against the allowance, and requests by day and operation. */

import { ERRORS, FAULTS } from '../../../pipeline/contract/errors.ts';
import { ALL_OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { DAY_MS } from '../../../pipeline/lib/clock.ts';
import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { type Column, renderTable } from '../../../pipeline/lib/pages/table.ts';
import { monthAt } from '../../limits/calendar-month.ts';
import type { Account } from '../../store/row-types.ts';
import { type OwnerUsage, utcDay } from '../../store/usage-counts.ts';
import { factList, formatNumber, problemNotice } from '../kit/parts.ts';
import type { Services } from '../kit/services.ts';
import { type Answer, routes, type SignedIn } from '../kit/visit.ts';
import { type DayCount, dayPlot } from './plot.ts';

const SPANS_DAYS = [30, 90] as const;

/** This month's count of `account` against its allowance. */
export async function monthSection(account: Account, { usage, clock, perMinute, perMonth }: Services): Promise<Html> {
  const now = clock.wallMs();
  const used = await usage.grantedInMonth(account.id, now);
  const allowance = account.per_month ?? perMonth;
  const { endMs } = monthAt(now);
  const daysLeft = Math.ceil((endMs - now) / DAY_MS);
  const usedShare = Math.min(1, used / allowance);
  const monthName = new Date(now).toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return html`<section><h2>${monthName}</h2>
    <p class="allowance"><strong>${formatNumber(used)}</strong> of ${formatNumber(allowance)} requests</p>
    <svg class="gauge${usedShare >= 0.9 && ' full'}" viewBox="0 0 100 2" preserveAspectRatio="none" role="img" aria-label="${Math.floor(usedShare * 100)}% of the allowance used">
      <rect class="rest" width="100" height="2"/><rect class="used" width="${Math.round(usedShare * 1000) / 10}" height="2"/></svg>
    ${factList([
      ['Left this month', formatNumber(Math.max(0, allowance - used))],
      [
        'Resets',
        html`<time datetime="${new Date(endMs).toISOString()}">${utcDay(endMs)} 00:00 UTC</time> <span class="soft">in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}</span>`,
      ],
      ['Per minute, per key', `${formatNumber(account.per_minute ?? perMinute)} requests`],
    ])}
    <p class="soft">Only requests with live keys count towards the allowance. Requests over a limit are refused with
    status 429.</p></section>`;
}

const countRequests = (
  rows: readonly OwnerUsage[],
  kind: 'live' | 'test' | null,
  outcome: 'granted' | 'refused' = 'granted',
) => rows.reduce((total, row) => (kind === null || row.kind === kind ? total + row[outcome] : total), 0);

function countByDay(rows: readonly OwnerUsage[], days: readonly string[]): DayCount[] {
  const rowsByDay = Map.groupBy(rows, ({ day }) => day);
  return days.map((day) => {
    const dayRows = rowsByDay.get(day) ?? [];
    return { day, live: countRequests(dayRows, 'live'), test: countRequests(dayRows, 'test') };
  });
}

const operationPath = (operation: string) => ALL_OPERATIONS.find(({ id }) => id === operation)?.path ?? 'other paths';

interface UsageGroup {
  title: string;
  rows: OwnerUsage[];
}

function groupUsage(rows: readonly OwnerUsage[], rowTitle: (row: OwnerUsage) => string): UsageGroup[] {
  const groups = [...Map.groupBy(rows, rowTitle)].map(([title, groupRows]) => ({ title, rows: groupRows }));
  return groups.sort(
    (a, b) => countRequests(b.rows, null) - countRequests(a.rows, null) || (a.title < b.title ? -1 : 1),
  );
}

/** The requests of an account in the last `span` days, and the errors among them. */
export async function accountUsage({ id }: Account, spanDays: number, now: number, services: Services): Promise<Html> {
  await services.flushUsage();
  const since = utcDay(now - (spanDays - 1) * DAY_MS);
  const rows = await services.usage.listUsage(id, since);
  return html`${usageSections(rows, spanDays, now)}${errorsSection(await services.usage.listErrors(id, since), services)}`;
}

/** Requests of the last `span` days, by day and operation, as plots and as tables. */
function usageSections(rows: readonly OwnerUsage[], spanDays: number, now: number): Html {
  const days = Array.from({ length: spanDays }, (_, i) => utcDay(now - (spanDays - 1 - i) * DAY_MS));
  if (rows.length === 0) {
    return html`<section class="empty"><p>No requests in the last ${spanDays} days.</p></section>`;
  }
  const operations = groupUsage(rows, ({ operation }) => operationPath(operation));
  const keys = groupUsage(rows, ({ key_name, key_id }) => `${key_name} (${key_id})`);
  const total = countRequests(rows, null);
  const label = `${formatNumber(total)} requests in ${spanDays} days; the table below has the numbers`;
  const countColumns: Column<UsageGroup>[] = [
    { title: 'Live', variant: 'number', cell: (group) => formatNumber(countRequests(group.rows, 'live')) },
    { title: 'Test', variant: 'number', cell: (group) => formatNumber(countRequests(group.rows, 'test')) },
    {
      title: 'Refused (429)',
      variant: 'number',
      cell: (group) => formatNumber(countRequests(group.rows, null, 'refused')),
    },
  ];
  const daysWithRequests = countByDay(rows, days)
    .filter(({ live, test }) => live + test > 0)
    .reverse();
  return html`<section><h2>By day</h2>
    <p class="key"><span class="swatch live"></span> live keys <span class="swatch test"></span> test keys</p>
    ${dayPlot(label, countByDay(rows, days), { width: 760, height: 240, hasAxes: true, screens: 'broad' })}
    ${dayPlot(label, countByDay(rows, days), { width: 330, height: 190, hasAxes: true, screens: 'narrow' })}
    <details><summary>Show as a table</summary>
    ${renderTable(
      'Requests by day',
      [
        { title: 'Day (UTC)', cell: ({ day }) => day },
        { title: 'Live', variant: 'number', cell: ({ live }) => formatNumber(live) },
        { title: 'Test', variant: 'number', cell: ({ test }) => formatNumber(test) },
      ],
      daysWithRequests,
    )}</details></section>
    <section><h2>By operation</h2>
    ${renderTable(
      'Requests by operation',
      [
        { title: 'Operation', cell: (group) => html`<code>${group.title}</code>` },
        {
          title: 'By day',
          cell: (group) =>
            dayPlot(
              `${group.title}: ${formatNumber(countRequests(group.rows, null))} requests`,
              countByDay(group.rows, days),
              {
                width: 240,
                height: 32,
                hasAxes: false,
              },
            ),
        },
        ...countColumns,
      ],
      operations,
    )}</section>
    <section><h2>By key</h2>
    ${renderTable('Requests by key', [{ title: 'Key', cell: (group) => group.title }, ...countColumns], keys)}</section>`;
}

type ErrorUsage = Awaited<ReturnType<Services['usage']['listErrors']>>[number];
const PROBLEMS_BY_CODE: Readonly<Record<string, { status: number; title: string } | undefined>> = {
  ...ERRORS,
  ...FAULTS,
};

/** Errors by status and code, each with its meaning; nothing if there were none. */
function errorsSection(rows: readonly ErrorUsage[], { inCountryWords }: Services): Html | false {
  const errorRows = [...Map.groupBy(rows, ({ code }) => code)].map(([code, operations]) => ({
    code,
    operations,
    meaning: PROBLEMS_BY_CODE[code],
  }));
  if (errorRows.length === 0) return false;
  return html`<section><h2>Errors</h2>
    ${renderTable(
      'Errors by status and code',
      [
        { title: 'Status', cell: ({ meaning }) => meaning?.status ?? '' },
        { title: 'Code', cell: ({ code }) => html`<code>${code}</code>` },
        { title: 'Meaning', cell: ({ meaning }) => inCountryWords(meaning?.title ?? '').replaceAll('`', '') },
        {
          title: 'Operations',
          cell: ({ operations }) => operations.map(({ operation }) => operationPath(operation)).join(', '),
        },
        {
          title: 'Requests',
          variant: 'number',
          cell: ({ operations }) => formatNumber(operations.reduce((total, { count }) => total + count, 0)),
        },
      ],
      errorRows,
    )}</section>`;
}

/** The span of days that was requested, and links to the others. */
export function requestedSpan(visit: SignedIn, path: string): { spanDays: number; links: Html } {
  const spanDays = SPANS_DAYS.find((days) => String(days) === visit.query.text('days')) ?? SPANS_DAYS[0];
  const links = html`<p class="soft">Last ${SPANS_DAYS.map(
    (days, i) =>
      html`${i > 0 && ' · '}${
        days === spanDays ? html`<strong>${days} days</strong>` : html`<a href="${path}?days=${days}">${days} days</a>`
      }`,
  )}, by UTC day</p>`;
  return { spanDays, links };
}

/** With a hundred keys in use, rendering the page takes some 0.4 s, and the API waits meanwhile. */
const MAX_VIEWS_PER_MINUTE = 30;

async function usagePage(visit: SignedIn, services: Services): Promise<Answer> {
  const account = visit.visitor.account!;
  const allowance = { name: `usage of ${account.id}`, limit: MAX_VIEWS_PER_MINUTE, windowMs: 60_000 };
  const retryAfterMs = await services.attempts.charge([allowance], visit.now);
  if (retryAfterMs !== null) {
    const body = html`<p class="kicker">Settings</p><h1>Usage</h1>${problemNotice('Too many requests', 'Try again in a minute.')}`;
    return { title: 'Usage', status: 429, body, retryAfterMs };
  }
  const { spanDays, links } = requestedSpan(visit, '/settings/usage');
  const body = html`<p class="kicker">Settings</p><h1>Usage</h1>
    ${await monthSection(account, services)}
    ${links}
    ${await accountUsage(account, spanDays, visit.now, services)}`;
  return { title: 'Usage', body };
}

export const usageRoutes = routes('/settings/usage', ['administrator', 'member', 'researcher'], { GET: usagePage });
