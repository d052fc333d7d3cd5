import { extent, max, ticks } from 'd3-array';
import { scaleLinear, scaleUtc } from 'd3-scale';
import { addDays, type Day, daysBetween } from '../../runtime/day.ts';

/** From one day to another, both included; only the first if in the wrong order. */
export function dayScale(from: Day, to: Day) {
  const count = Math.max(1, daysBetween(from, to) + 1);
  const scale = scaleUtc([new Date(from), new Date(addDays(from, count))], [0, 100]).clamp(true);
  return {
    from,
    to: addDays(from, count - 1),
    /** At least 1. */
    count,
    /** Limited to the days shown. */
    startOf: (day: Day) => scale(new Date(day)),
    /** The left edge of the next day. */
    endOf: (day: Day) => scale(new Date(addDays(day, 1))),
  };
}

/** In percent of the width: a day has a width. */
export type DayScale = Readonly<ReturnType<typeof dayScale>>;

/** In pixels from the top of the plot. */
export interface ValueScale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  /** Limited to the plot; NaN is at the bottom. */
  yOf(value: number): number;
}

export interface ValueScaleOptions {
  /** Height of the plot in pixels. */
  readonly height: number;
  /** Needed for bars; a line may show differences only. */
  readonly fromZero: boolean;
  /** Ticks only at whole numbers, for counts. */
  readonly whole?: boolean;
}

export const VALUE_TICKS_MAX = 6;

/** Beyond, sums and powers of ten leave the range of doubles. */
const LARGEST = 1e290;
/** Values closer than this, relative to their size, count as equal: no shown digit would differ. */
const SPAN_MIN = 1e-9;

/** Beyond the outermost values, as a share of their span. */
const PAD = 0.06;

/** A tick closer to rank 1 would overlap it; a share of the span. */
const LABEL_ROOM = 0.08;

/** Linear, with round ends; without values it has no ticks. */
export function valueScale(values: Iterable<number>, { height, fromZero, whole }: ValueScaleOptions): ValueScale {
  const [least, most] = extent(finiteOf(values));
  const isEmpty = least === undefined;
  const ends = isEmpty ? [0, 1] : padded(least, most, fromZero);
  const scale = scaleLinear(ends, [height, 0]).clamp(true).unknown(height);
  if (!isEmpty) scale.nice(VALUE_TICKS_MAX - 1);
  const [low = 0, high = 1] = scale.domain();
  const marks = isEmpty ? [] : fewTicks(low, high, VALUE_TICKS_MAX);
  return { low, high, ticks: whole ? marks.filter(Number.isInteger) : marks, yOf: scale };
}

/** 1 on top, the worst near the bottom; without ranks it has no ticks. */
export function rankScale(ranks: Iterable<number>, height: number): ValueScale {
  const finite = finiteOf(ranks);
  const worst = max([2, ...finite]) ?? 2;
  const marks = fewTicks(1, worst, VALUE_TICKS_MAX - 1).filter((tick) => Number.isInteger(tick) && tick > 1);
  const apart = marks.filter((tick) => tick - 1 >= (worst - 1) * LABEL_ROOM);
  const yOf = scaleLinear([1, worst + (worst - 1) * PAD], [0, height])
    .clamp(true)
    .unknown(0);
  return { low: 1, high: worst, ticks: finite.length === 0 ? [] : [1, ...apart], yOf };
}

function finiteOf(values: Iterable<number>): readonly number[] {
  return [...values].filter(Number.isFinite).map((value) => Math.min(Math.max(value, -LARGEST), LARGEST));
}

/** d3 treats its count as a hint. */
function fewTicks(low: number, high: number, most: number): readonly number[] {
  const counts = Array.from({ length: most }, (_, i) => most - i);
  const candidates = counts.map((count) => ticks(low, high, count));
  return candidates.find((tried) => tried.length <= most) ?? [low];
}

/** Padding and a minimum span; a scale from zero keeps zero on the edge. */
function padded(least: number, most: number, fromZero: boolean): readonly [number, number] {
  const [low, high] = fromZero ? [Math.min(0, least), Math.max(0, most)] : [least, most];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size < 1 / LARGEST) return fromZero ? [0, 1] : [-1, 1];
  const span = high - low;
  if (span > size * SPAN_MIN) return fromZero ? [low, high] : [low - span * PAD, high + span * PAD];
  return [low - size * 0.1, high + size * 0.1];
}

/**
 * Horizontal positions are percent of the width, vertical ones and text sizes are pixels (decision 0066), so one
 * drawing fits every width with readable text. Labels of the value axis are left of 0 %, in a margin of the style
 * sheet.
 */
export const LAYOUT = {
  /** Baseline of the unit, or of the values pointed at. */
  unitY: 11,
  /** With its strip for notes. */
  top: 22,
  /** Crossed by no line. */
  notes: 18,
  /** Height of the value axis. */
  height: 190,
  /** For the two rows of the day axis. */
  axis: 40,
} as const;

/** The ends of the value axis. */
export const PLOT_TOP = LAYOUT.top + LAYOUT.notes;
export const PLOT_BOTTOM = PLOT_TOP + LAYOUT.height;
/** Height of the whole drawing. */
export const CHART_HEIGHT = PLOT_BOTTOM + LAYOUT.axis;

/** For an attribute: at most two decimals. */
export function px(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A horizontal position for an attribute. */
export function percent(value: number): string {
  return `${Math.round(value * 1000) / 1000}%`;
}
