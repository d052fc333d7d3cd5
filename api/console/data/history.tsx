import type { JSX } from 'preact';
import { addDays, type Day, dayFromDate } from '../../../runtime/day.ts';
import { planWindowStart } from '../../accounts/organizations/plans.ts';
import type { HistoryPoint } from '../../charts/history-chart.tsx';
import type { DataRoute, JsonObject } from '../../data/responses/data-route.ts';
import type { RouteArguments } from '../../server/route.ts';
import { Choices, withQuery } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/routes.ts';
import type { Ask, Asked } from './ask.ts';

/** Days that a chart of history may show; the API answers no more at once. */
export const SPANS = [90, 180, 400] as const;
export type Span = (typeof SPANS)[number];

/** What a chart of history shows, and the part of it that may be asked for. */
export interface HistorySpan {
  readonly days: Span;
  /** Parameters of the request; undefined where all of it lies before the plan's window. */
  readonly query: { readonly from: Day; readonly to: Day } | undefined;
  /** What the chart is told: its days, and where the plan's window begins if it has a beginning. */
  readonly chart: ChartSpan;
}

export interface ChartSpan {
  readonly from: Day;
  readonly to: Day;
  readonly window?: { readonly from: Day; readonly months: number };
}

/** The days up to the newest that was published: what came after it, nobody knows. */
export function historySpanOf({ organization, query, now }: OrganizationPages, newest: Day): HistorySpan {
  const days = SPANS.find((span) => String(span) === query['days']) ?? 180;
  const [from, months] = [addDays(newest, -days), organization.terms.historyMonths];
  const limit = planWindowStart(months, dayFromDate(now));
  const chart = { from, to: newest };
  if (limit === null) return { days, query: chart, chart };
  const asked = limit > from ? limit : from;
  return {
    days,
    query: asked > newest ? undefined : { from: asked, to: newest },
    chart: { ...chart, window: { from: limit, months } },
  };
}

/** What is read of a history. */
export interface History extends JsonObject {
  readonly points: readonly HistoryPoint[];
}

interface RangeQuery {
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
}

/** Asks for the part of a span that the plan shows; where there is none of it, nothing is asked. */
export async function askHistory<Params, Query extends RangeQuery, Body extends History>(
  ask: Ask,
  route: DataRoute<Params, Query, Body>,
  question: RouteArguments<Params, Query>,
  span: HistorySpan,
): Promise<Asked<Body>> {
  if (span.query === undefined)
    return { refusal: 'All that is recorded lies before the history of your plan', url: '' };
  return ask(route, { ...question, query: { ...question.query, ...span.query } });
}

/** Links to the same page with more or fewer days in its charts. */
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
