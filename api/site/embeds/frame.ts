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

/** Frames for embeds (specification "Embeds"), in CSS pixels. */

/** Height at which a page needs no scrolling. */
export interface FrameHeights {
  /** From {@link WIDE_FROM} on. */
  readonly wide: number;
  /** Below that, down to {@link FRAME_WIDTH_MIN}. */
  readonly narrow: number;
  /** For either width, if the page has no chart. */
  readonly withoutChart: number;
}

export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** The space that the embedding page has. */
export interface FrameRoom {
  readonly maxwidth?: number | undefined;
  readonly maxheight?: number | undefined;
}

/** Wide enough for the labels of charts, and no wider than the text of most pages. */
const FRAME_WIDTH = 600;
/** Below, chart labels would overlap. */
export const FRAME_WIDTH_MIN = 300;
/** Fits a name and the source; the rest scrolls. */
export const FRAME_HEIGHT_MIN = 120;
/** Here the style sheet switches to columns. */
const WIDE_FROM = 480;

/** As large as its page needs, within the space. */
export function frameSizeIn({ maxwidth, maxheight }: FrameRoom, heights: FrameHeights, hasChart: boolean): FrameSize {
  const width = Math.min(FRAME_WIDTH, maxwidth ?? FRAME_WIDTH);
  const whole = width >= WIDE_FROM ? heights.wide : heights.narrow;
  const height = hasChart ? whole : heights.withoutChart;
  return { width, height: Math.min(height, maxheight ?? height) };
}

/** The embedding page's choice, which overrides the reader's preference. */
export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Path of the style sheets, below the base path. */
export const EMBED_STYLES = 'embed/styles';

const FILES = ['../../charts/charts.css', 'embed.css'];

/** The dark mode of both files. */
const DARK = '@media (prefers-color-scheme: dark)';

/** Replaces it: the reader's preference, or the embedding page's theme. */
const CONDITIONS: Readonly<Record<Theme | 'auto', string>> = {
  auto: DARK,
  light: '@media not all',
  dark: '@media all',
};

/** Returns a version that changes with the style sheets. */
export function addEmbedStyles(scope: FastifyInstance): string {
  const text = FILES.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  const files = Object.fromEntries(
    Object.entries(CONDITIONS).map(([theme, condition]) => [
      `${theme}.css`,
      Buffer.from(text.replaceAll(DARK, condition)),
    ]),
  );
  // A sandboxed frame has no origin, so even its page's style sheet is cross-origin.
  return addVersionedAssets(scope, EMBED_STYLES, {
    files,
    headers: { 'Cross-Origin-Resource-Policy': 'cross-origin' },
  });
}

/** Points of a chart, and its days. */
export interface ShownHistory {
  readonly points: readonly HistoryPoint[];
  readonly from: Day;
  readonly to: Day;
}

interface History extends JsonObject {
  readonly points: readonly HistoryPoint[];
  readonly window: { readonly from: Day; readonly available_from: Day | null };
}

/** If the capability is live, and Community has it. */
export function hasHistories({ isLive }: Pick<PublicContext, 'isLive'>): boolean {
  return isLive('history') && PLANS.community.features.includes('history');
}

/** Recorded days in Community's window, up to the newest release, if any. */
export async function fetchHistory<Params, Query, Body extends History>(
  route: DataRoute<Params, Query, Body>,
  args: RouteArguments<Params, Query>,
  context: PublicContext,
): Promise<ShownHistory | undefined> {
  if (!hasHistories(context)) return undefined;
  const { points, window } = await context.fetchRoute(route, args);
  const { from: limit, available_from: first } = window;
  const [from, to] = [first !== null && first > limit ? first : limit, context.view.newest.day];
  return from > to ? undefined : { points, from, to };
}
