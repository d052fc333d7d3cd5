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
export const FRAME_WIDTH = 600;
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
