import type { JSX } from 'preact';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import type { KeyUsage, UsageReport } from '../../accounts/request-counts/read-usage.ts';
import type { RequestCounts } from '../../accounts/request-counts/request-counts.ts';
import { UsageChart } from '../../charts/usage-chart.tsx';
import type { PageDeps } from '../console-deps.ts';
import { Choices, type Column, type Fact, Facts, Section, Table } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

/** Days to choose from, first the default. For a year there is the CSV. */
const SPANS = [90, 30, 7] as const;
const YEAR_DAYS = 365;
/** Keys and routes with the most requests. */
const ROWS_SHOWN = 50;

/** By day, key and route, with refusals and savings by caching. */
export function usageRoutes({ accounts }: Pick<PageDeps, 'accounts'>): readonly OrganizationRoute[] {
  return [
    forMembers.page('/usage', async (pages) => {
      const report = await accounts.readUsage(pages.organization.id, rangeOf(pages, spanOf(pages)));
      return page('Usage', usagePage(pages, report));
    }),
    forMembers.page('/usage.csv', (pages) => {
      const range = rangeOf(pages, pages.query['days'] === String(YEAR_DAYS) ? YEAR_DAYS : spanOf(pages));
      const name = `usage-${range.from}-to-${range.to}.csv`;
      const text = accounts.usageCsv(pages.organization.id, range);
      return { kind: 'file', type: 'text/csv; charset=utf-8', name, text };
    }),
  ];
}

function spanOf({ query }: OrganizationPages): number {
  return SPANS.find((days) => String(days) === query['days']) ?? SPANS[0];
}

function rangeOf({ now }: OrganizationPages, days: number) {
  const to = dayFromDate(now);
  return { from: addDays(to, 1 - days), to };
}

function usagePage(pages: OrganizationPages, report: UsageReport): JSX.Element {
  const { path, organization } = pages;
  const span = spanOf(pages);
  const { quotaLimit } = organization.terms;
  const firstDay = dayFromDate(organization.createdAt);
  return (
    <>
      <h1>Usage</h1>
      <Choices
        label="Days shown"
        links={SPANS.toSorted((a, b) => a - b).map((days) => ({
          href: `${path}/usage?days=${days}`,
          text: `${days} days`,
          isShown: days === span,
        }))}
      />
      <Section title="By day">
        <UsageChart
          id="units"
          days={report.days
            .filter(({ day }) => day >= firstDay)
            .map(({ day, units, limit, quota_exceeded: refused }) => ({
              day,
              units,
              // Unknown for a day without requests.
              limit: units === 0 ? quotaLimit : limit,
              refused,
            }))}
          from={report.from}
          to={report.to}
          today={report.to}
        />
        <p class="hint">
          A unit is a data response; days are UTC. Today's units are exact; other counts may lag by some seconds.{' '}
          <a href={`${path}/usage.csv?days=${span}`}>Download as CSV</a>, or{' '}
          <a href={`${path}/usage.csv?days=${YEAR_DAYS}`}>the last year</a>.
        </p>
      </Section>
      <Section title="Total">
        <Facts items={totals(report.total)} />
      </Section>
      <Section title="By key">
        <CountsTable first="Key" rows={report.keys.map((key) => [<KeyName apiKey={key} />, key])} />
      </Section>
      <Section title="By route">
        <CountsTable first="Route" rows={report.routes.map((route) => [<code>{route.route}</code>, route])} />
      </Section>
      {report.client_sources.length > 1 && (
        <Section title="By kind of client">
          <CountsTable
            first="Kind of client"
            rows={report.client_sources.map((source) => [<code>{source.client_source}</code>, source])}
          />
        </Section>
      )}
    </>
  );
}

function totals(total: RequestCounts): readonly Fact[] {
  const saved = total.not_modified + total.shared_units;
  return [
    ['Requests', <Count value={total.requests} />],
    ['Units', <Count value={total.units} />],
    ['Saved by 304', <Count value={total.not_modified} />],
    ['Saved by Idempotency-Key', <Count value={total.shared_units} />],
    ['Units saved in total', <Count value={saved} />],
    ['Refused: burst limit', <Count value={total.rate_limited} />],
    ['Refused: daily quota', <Count value={total.quota_exceeded} />],
    ['Other client errors', <Count value={total.client_errors} />],
    ['Server errors', <Count value={total.server_errors} />],
  ];
}

function Count({ value }: { readonly value: number }): JSX.Element {
  return <span class="number">{value.toLocaleString('en')}</span>;
}

function KeyName({ apiKey }: { readonly apiKey: KeyUsage }): JSX.Element {
  return (
    <>
      <span>{apiKey.key_name}</span>
      {apiKey.last_four !== '' && (
        <>
          {' '}
          <code>{`…${apiKey.last_four}`}</code>
        </>
      )}
      {apiKey.revoked_at !== null && <span class="hint"> revoked</span>}
    </>
  );
}

interface CountsTableProps {
  readonly first: 'Key' | 'Route' | 'Kind of client';
  readonly rows: readonly (readonly [name: JSX.Element, counts: RequestCounts])[];
}

const COUNTS = ['Requests', 'Units', '304', 'Refused', 'Errors'].map<Column>((heading) => [heading, 'number']);

function CountsTable({ first, rows }: CountsTableProps): JSX.Element {
  return (
    <>
      <Table
        caption={`Requests by ${first.toLowerCase()}`}
        columns={[[first, 'head'], ...COUNTS]}
        rows={rows.slice(0, ROWS_SHOWN).map(([name, counts]) => [name, ...countsOf(counts)])}
        empty="No requests in these days."
      />
      {rows.length > ROWS_SHOWN && (
        <p class="hint">{`The ${ROWS_SHOWN} with the most requests, of ${rows.length}; the CSV has all.`}</p>
      )}
    </>
  );
}

function countsOf(counts: RequestCounts): readonly string[] {
  const refused = counts.rate_limited + counts.quota_exceeded;
  const errors = counts.client_errors + counts.server_errors;
  return [counts.requests, counts.units, counts.not_modified, refused, errors].map((count) =>
    count.toLocaleString('en'),
  );
}
