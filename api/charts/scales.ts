/** Where days lie from left to right, and values from top to bottom. */
import { extent, max, ticks } from 'd3-array';
import { scaleLinear, scaleUtc } from 'd3-scale';
import { addDays, type Day, daysBetween } from '../../runtime/day.ts';

/** The scale of all days from one to another, both included; when they are in the wrong order, of the first alone. */
export function dayScale(from: Day, to: Day) {
  const count = Math.max(1, daysBetween(from, to) + 1);
  const scale = scaleUtc([new Date(from), new Date(addDays(from, count))], [0, 100]).clamp(true);
  return {
    from,
    to: addDays(from, count - 1),
    /** How many days are shown, at least 1. */
    count,
    /** The left edge of a day; days outside lie on the edge that is nearer. */
    startOf: (day: Day) => scale(new Date(day)),
    /** The right edge of a day, which is where the next one begins. */
    endOf: (day: Day) => scale(new Date(addDays(day, 1))),
  };
}

/** Where days lie from left to right, in percent of the width: a day is a stretch, not a point. */
export type DayScale = Readonly<ReturnType<typeof dayScale>>;

/** Where values lie from top to bottom, in pixels from the top of the plot. */
export interface ValueScale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  /** Finite for every number; values outside lie on the edge that is nearer, what is no number at the bottom. */
  yOf(value: number): number;
}

export interface ValueScaleOptions {
  /** Height of the plot in pixels. */
  readonly height: number;
  /** Bars need a base at zero; a line may leave it out when only differences matter. */
  readonly fromZero: boolean;
  /** Ticks only at whole numbers, for what is counted. */
  readonly whole?: boolean;
}

/** No value axis gets more ticks than this. */
export const VALUE_TICKS_MAX = 6;

/** Beyond this, sums and powers of ten leave the range of doubles; nothing that is measured comes near. */
const LARGEST = 1e290;
/** Values nearer to each other than this, relative to their size, are drawn as equal: no digit shown would differ. */
const LEAST_SPAN = 1e-9;

/** Room beyond the outermost values, as a part of their span. */
const PAD = 0.06;

/** A tick this near to the first rank would write over it, as a part of the span. */
const LABEL_ROOM = 0.08;

/** A linear scale over all finite values, with round ends; without any, it has no ticks, as there is nothing to measure. */
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

/** A scale of ranks: 1 on top, the worst rank near the bottom; without any, it has no ticks. */
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

/** Round numbers, no more than so many; d3 takes its count for a hint. */
function fewTicks(low: number, high: number, most: number): readonly number[] {
  const counts = Array.from({ length: most }, (_, i) => most - i);
  const candidates = counts.map((count) => ticks(low, high, count));
  return candidates.find((tried) => tried.length <= most) ?? [low];
}

/** Room above and below, and some span where there is none; a scale from zero keeps zero on the edge. */
function padded(least: number, most: number, fromZero: boolean): readonly [number, number] {
  const [low, high] = fromZero ? [Math.min(0, least), Math.max(0, most)] : [least, most];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size < 1 / LARGEST) return fromZero ? [0, 1] : [-1, 1];
  const span = high - low;
  if (span > size * LEAST_SPAN) return fromZero ? [low, high] : [low - span * PAD, high + span * PAD];
  return [low - size * 0.1, high + size * 0.1];
}

/**
 * A chart stretches in one direction: places from left to right are percent of its width, places from top to bottom and the size
 * of text are pixels (decision 0066). So one drawing serves every width, and text is as large on a phone as on a wide screen.
 * Labels of the value axis stand left of 0 %, in a margin that the style sheet keeps free.
 */
export const LAYOUT = {
  /** Baseline of the line above the plot: the unit, or what is pointed at. */
  unitY: 11,
  /** Top of the plot with its strip for notes. */
  top: 22,
  /** The strip for notes, which no line crosses. */
  notes: 18,
  /** Height of what the value axis spans. */
  height: 190,
  /** Room for the two rows of the day axis. */
  axis: 40,
} as const;

/** Where the value axis begins at the top, and where it ends. */
export const PLOT_TOP = LAYOUT.top + LAYOUT.notes;
export const PLOT_BOTTOM = PLOT_TOP + LAYOUT.height;
/** Height of the whole drawing. */
export const CHART_HEIGHT = PLOT_BOTTOM + LAYOUT.axis;

/** A number for an attribute: at most two decimals. */
export function px(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A place from left to right for an attribute. */
export function percent(value: number): string {
  return `${Math.round(value * 1000) / 1000}%`;
}
