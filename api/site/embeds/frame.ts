import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Day } from '../../../runtime/day.ts';
import { PLANS } from '../../accounts/organizations/plans.ts';
import type { HistoryPoint } from '../../charts/history-chart.tsx';
import type { DataRoute, JsonObject } from '../../data/responses/data-route.ts';
import { addVersionedAssets } from '../../server/assets.ts';
import type { RouteArguments } from '../../server/route.ts';
import type { PublicContext } from '../public-route.ts';

/** The frames that pages to embed are made for (specification "Embeds"), in CSS pixels. */

/** How high a frame has to be for its page to need no scrolling. */
export interface FrameHeights {
  /** From {@link WIDE_FROM} on. */
  readonly wide: number;
  /** Below that, down to {@link FRAME_WIDTH_MIN}. */
  readonly narrow: number;
  /** Of either width where the page has no chart. */
  readonly withoutChart: number;
}

export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** What whoever embeds a page has room for. */
export interface FrameRoom {
  readonly maxwidth?: number | undefined;
  readonly maxheight?: number | undefined;
}

/** Wide enough for the labels of a chart to stand apart, and no wider than the text of most pages. */
const FRAME_WIDTH = 600;
/** Where labels of charts would begin to overlap. */
export const FRAME_WIDTH_MIN = 300;
/** Room for a name and the link to the source; the rest scrolls. */
export const FRAME_HEIGHT_MIN = 120;
/** Where the style sheet puts things beside each other. */
const WIDE_FROM = 480;

/** The size of a frame, as large as its page needs and no larger than there is room. */
export function frameSizeIn({ maxwidth, maxheight }: FrameRoom, heights: FrameHeights, hasChart: boolean): FrameSize {
  const width = Math.min(FRAME_WIDTH, maxwidth ?? FRAME_WIDTH);
  const whole = width >= WIDE_FROM ? heights.wide : heights.narrow;
  const height = hasChart ? whole : heights.withoutChart;
  return { width, height: Math.min(height, maxheight ?? height) };
}

/** What whoever embeds a page may choose in place of the reader's own wish. */
export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Where the style sheets of pages to embed lie, below the base path. */
export const EMBED_STYLES = 'embed/styles';

const FILES = ['../../charts/charts.css', 'embed.css'];

/** What both files say of readers who want it dark. */
const DARK = '@media (prefers-color-scheme: dark)';

/** What stands in its place: the reader's wish, or the theme that whoever embeds the page has chosen. */
const CONDITIONS: Readonly<Record<Theme | 'auto', string>> = {
  auto: DARK,
  light: '@media not all',
  dark: '@media all',
};

/** Adds the style sheets, read once; returns what changes with them, which pages name in their addresses. */
export function addEmbedStyles(scope: FastifyInstance): string {
  const text = FILES.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  const files = Object.fromEntries(
    Object.entries(CONDITIONS).map(([theme, condition]) => [
      `${theme}.css`,
      Buffer.from(text.replaceAll(DARK, condition)),
    ]),
  );
  // A frame in a sandbox has no origin, so that even its own page's style sheet comes from elsewhere.
  return addVersionedAssets(scope, EMBED_STYLES, {
    files,
    headers: { 'Cross-Origin-Resource-Policy': 'cross-origin' },
  });
}

/** What a chart may show of a history, and over which days. */
export interface ShownHistory {
  readonly points: readonly HistoryPoint[];
  readonly from: Day;
  readonly to: Day;
}

/** What is read of a history. */
interface History extends JsonObject {
  readonly points: readonly HistoryPoint[];
  readonly window: { readonly from: Day; readonly available_from: Day | null };
}

/** Whether pages to embed show histories: where the capability is live, and on a plan that has them. */
export function hasHistories({ isLive }: Pick<PublicContext, 'isLive'>): boolean {
  return isLive('history') && PLANS.community.features.includes('history');
}

/**
 * The days of Community's window that are recorded, up to the newest release: what came after it, nobody knows. Undefined where
 * there are none, or no histories.
 */
export async function askHistory<Params, Query, Body extends History>(
  route: DataRoute<Params, Query, Body>,
  question: RouteArguments<Params, Query>,
  context: PublicContext,
): Promise<ShownHistory | undefined> {
  if (!hasHistories(context)) return undefined;
  const { points, window } = await context.ask(route, question);
  const { from: limit, available_from: first } = window;
  const [from, to] = [first !== null && first > limit ? first : limit, context.view.newest.day];
  return from > to ? undefined : { points, from, to };
}
