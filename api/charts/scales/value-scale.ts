import { extent, nice, ticks } from 'd3-array';

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
export function valueScale(values: Iterable<number>, options: ValueScaleOptions): ValueScale {
  const [least, most] = extent([...values].filter(Number.isFinite), (value) =>
    Math.min(Math.max(value, -LARGEST), LARGEST),
  );
  if (least === undefined || most === undefined) return { ...linear(0, 1, options), ticks: [] };
  const [padLow, padHigh] = padded(least, most, options.fromZero);
  const [low, high] = nice(padLow, padHigh, VALUE_TICKS_MAX - 1);
  return linear(low, high, options);
}

/** A scale of ranks: 1 on top, the worst rank near the bottom; without any, it has no ticks. */
export function rankScale(ranks: Iterable<number>, height: number): ValueScale {
  const finite = [...ranks].filter(Number.isFinite);
  const worst = finite.reduce((a, b) => Math.max(a, Math.min(b, LARGEST)), 2);
  const marks = fewTicks(1, worst, VALUE_TICKS_MAX - 1).filter((tick) => Number.isInteger(tick) && tick > 1);
  const apart = marks.filter((tick) => tick - 1 >= (worst - 1) * LABEL_ROOM);
  const yOf = positions(1, worst + (worst - 1) * PAD, height);
  const shown = finite.length === 0 ? [] : [1, ...apart];
  return { low: 1, high: worst, ticks: shown, yOf: (rank) => height - yOf(rank) };
}

function linear(low: number, high: number, { height, whole }: ValueScaleOptions): ValueScale {
  const marks = fewTicks(low, high, VALUE_TICKS_MAX);
  const shown = whole ? marks.filter((tick) => Number.isInteger(tick)) : marks;
  return { low, high, ticks: shown, yOf: positions(low, high, height) };
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

function positions(low: number, high: number, height: number): (value: number) => number {
  const span = high - low;
  return (value) => {
    const part = (value - low) / span;
    return height - Math.min(Math.max(Number.isNaN(part) ? 0 : part, 0), 1) * height;
  };
}
