import type { JSX } from 'preact';
import { addDays, type Day, dayFromDate } from '../../../runtime/day.ts';
import { planWindowStart } from '../../accounts/organizations/plans.ts';
import type { HistoryPoint } from '../../charts/history-chart.tsx';
import type { DataRoute, JsonObject } from '../../data/responses/data-route.ts';
import type { RouteArguments } from '../../server/route.ts';
import { Choices, withQuery } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/routes.ts';
import type { Fetched, FetchRoute } from './fetch-route.ts';

/** Days of a chart; the API's limit per request. */
export const SPANS = [90, 180, 400] as const;
export type Span = (typeof SPANS)[number];

/** The days of a chart, and the part of them to request. */
export interface HistorySpan {
  readonly days: Span;
  /** Undefined if all days are before the plan's window. */
  readonly query: { readonly from: Day; readonly to: Day } | undefined;
  /** The chart's days, and the start of the plan's window, if limited. */
  readonly chart: ChartSpan;
}

export interface ChartSpan {
  readonly from: Day;
  readonly to: Day;
  readonly window?: { readonly from: Day; readonly months: number };
}

/** Up to the newest published day. */
export function historySpanOf({ organization, query, now }: OrganizationPages, newest: Day): HistorySpan {
  const days = SPANS.find((span) => String(span) === query['days']) ?? 180;
  const [from, months] = [addDays(newest, -days), organization.terms.historyMonths];
  const limit = planWindowStart(months, dayFromDate(now));
  const chart = { from, to: newest };
  if (limit === null) return { days, query: chart, chart };
  const first = limit > from ? limit : from;
  return {
    days,
    query: first > newest ? undefined : { from: first, to: newest },
    chart: { ...chart, window: { from: limit, months } },
  };
}

export interface History extends JsonObject {
  readonly points: readonly HistoryPoint[];
}

interface RangeQuery {
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
}

/** Requests the part of a span inside the plan's window, if any. */
export async function fetchHistory<Params, Query extends RangeQuery, Body extends History>(
  fetchRoute: FetchRoute,
  route: DataRoute<Params, Query, Body>,
  args: RouteArguments<Params, Query>,
  span: HistorySpan,
): Promise<Fetched<Body>> {
  if (span.query === undefined) return { refusal: 'All recorded data is older than the history of your plan', url: '' };
  return fetchRoute(route, { ...args, query: { ...args.query, ...span.query } });
}

/** Links to the same page with more or fewer days. */
export function SpanChoice({ pages, shown }: { readonly pages: OrganizationPages; readonly shown: Span }): JSX.Element {
  const [here = ''] = pages.url.split('?', 1);
  return (
    <Choices
      label="Days in the charts"
      links={SPANS.map((days) => ({
        href: withQuery(here, { ...pages.query, days: String(days) }),
        text: `${days} days`,
        isShown: days === shown,
      }))}
    />
  );
}
