import type { JSX } from 'preact';
import { formatTicks, type NumberKind } from '../format.ts';
import type { DayScale } from '../scales/day-scale.ts';
import { dayTicks } from '../scales/day-ticks.ts';
import type { ValueScale } from '../scales/value-scale.ts';
import { LAYOUT, PLOT_BOTTOM, PLOT_TOP, percent, px } from './layout.ts';

interface ValueAxisProps {
  readonly scale: ValueScale;
  readonly unit: string;
  readonly kind?: NumberKind;
}

/** Lines across the plot with their values left of it, and the unit above. */
export function ValueAxis({ scale, unit, kind = 'number' }: ValueAxisProps): JSX.Element {
  const labels = formatTicks(scale.ticks, kind);
  return (
    <g class="chart-axis">
      <text class="chart-unit" x="-44" y={LAYOUT.unitY}>
        {unit}
      </text>
      {scale.ticks.map((tick, i) => (
        <ValueTick y={PLOT_TOP + scale.yOf(tick)} label={labels[i] ?? ''} />
      ))}
    </g>
  );
}

function ValueTick({ y, label }: { readonly y: number; readonly label: string }): JSX.Element {
  return (
    <>
      <line class="chart-grid" x1="0" x2="100%" y1={px(y)} y2={px(y)} />
      <text class="chart-label" x="-8" y={px(y)} dy="0.32em" text-anchor="end">
        {label}
      </text>
    </>
  );
}

/** The calendar below the plot: days, weeks or months, and below them the month or year that they are in. */
export function DayAxis({ scale }: { readonly scale: DayScale }): JSX.Element {
  const { fine, coarse } = dayTicks(scale);
  const middle = 50 / scale.count;
  return (
    <g class="chart-axis">
      <line class="chart-base" x1="0" x2="100%" y1={PLOT_BOTTOM} y2={PLOT_BOTTOM} />
      {coarse.map(({ day, label }) => (
        <CoarseTick x={percent(scale.startOf(day))} label={label} isFirst={day === scale.from} />
      ))}
      {fine.map(({ day, label, onlyWide }) => (
        <FineTick x={percent(scale.startOf(day) + middle)} label={label} onlyWide={onlyWide} />
      ))}
    </g>
  );
}

interface CoarseTickProps {
  readonly x: string;
  readonly label: string;
  /** The first needs no line: there the plot itself begins. */
  readonly isFirst: boolean;
}

function CoarseTick({ x, label, isFirst }: CoarseTickProps): JSX.Element {
  return (
    <>
      {!isFirst && <line class="chart-grid chart-grid-coarse" x1={x} x2={x} y1={LAYOUT.top} y2={PLOT_BOTTOM + 36} />}
      {label !== '' && (
        <text class="chart-label chart-label-coarse" x={x} dx={isFirst ? 0 : 5} y={PLOT_BOTTOM + 34}>
          {label}
        </text>
      )}
    </>
  );
}

interface FineTickProps {
  readonly x: string;
  readonly label: string;
  readonly onlyWide: boolean;
}

function FineTick({ x, label, onlyWide }: FineTickProps): JSX.Element {
  return (
    <>
      <line class="chart-base" x1={x} x2={x} y1={PLOT_BOTTOM} y2={PLOT_BOTTOM + 4} />
      <text
        class={onlyWide ? 'chart-label chart-only-wide' : 'chart-label'}
        x={x}
        y={PLOT_BOTTOM + 16}
        text-anchor="middle"
      >
        {label}
      </text>
    </>
  );
}
