import { ticks } from 'd3-array';
import type { JSX } from 'preact';
import { addDays, addMonths, type Day } from '../../runtime/day.ts';
import { formatMonth, formatTicks, type NumberKind } from './format.ts';
import { type DayScale, LAYOUT, PLOT_BOTTOM, PLOT_TOP, percent, px, type ValueScale } from './scales.ts';

interface ValueAxisProps {
  readonly scale: ValueScale;
  readonly unit: string;
  readonly kind?: NumberKind;
}

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

/** Days, weeks or months, and under them their month or year. */
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
  /** No line: the plot's edge is there. */
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

/** A mark below the plot. */
export interface DayTick {
  readonly day: Day;
  readonly label: string;
  /** Hidden on phones. */
  readonly onlyWide: boolean;
}

/** Days over months, or months over years. */
export interface DayTicks {
  readonly fine: readonly DayTick[];
  /** The label is empty if the space is too narrow. */
  readonly coarse: readonly DayTick[];
}

/** On phones half, except for days and weeks. */
export const FINE_TICKS_MAX = 19;

const [DAYS_MAX, WEEKS_MAX, MONTHS_MAX] = [16, 125, 37 * 31];
/** In percent, fitting a phone: `Nov`, `Nov 2026`. */
const [ROOM, ROOM_WITH_YEAR] = [9, 20];

export function dayTicks(scale: DayScale): DayTicks {
  if (scale.count <= WEEKS_MAX) return { fine: daysOrWeeks(scale), coarse: monthRow(scale) };
  if (scale.count <= MONTHS_MAX) return { fine: someMonths(scale), coarse: yearRow(scale) };
  return { fine: someYears(scale), coarse: [] };
}

function daysOrWeeks(scale: DayScale): readonly DayTick[] {
  const weekly = scale.count > DAYS_MAX;
  const firstMonday = (8 - new Date(`${scale.from}T00:00:00Z`).getUTCDay()) % 7;
  const days = weekly ? stepped(scale, firstMonday, 7) : stepped(scale, 0, 1);
  const everySecond = days.length > 10;
  return days.map((day, i) => ({ day, label: `${Number(day.slice(8))}`, onlyWide: everySecond && i % 2 === 1 }));
}

function stepped(scale: DayScale, first: number, step: number): readonly Day[] {
  const count = Math.max(0, Math.ceil((scale.count - first) / step));
  return Array.from({ length: count }, (_, i) => addDays(scale.from, first + i * step));
}

function someMonths(scale: DayScale): readonly DayTick[] {
  const months = monthStarts(scale);
  const every = months.length > 26 ? 3 : 1 + Number(months.length > 14) * 2;
  const onPhones = months.length > 18 ? 6 : 3;
  const phone = months.length <= 6 ? every : Math.max(every, onPhones);
  return months
    .filter((day) => monthIndex(day) % every === 0)
    .map((day) => ({ day, label: formatMonth(day), onlyWide: monthIndex(day) % phone !== 0 }));
}

function someYears(scale: DayScale): readonly DayTick[] {
  const [first, last] = [Number(scale.from.slice(0, 4)), Number(scale.to.slice(0, 4))];
  const years = ticks(first, last, 8).filter((year) => Number.isInteger(year));
  return years
    .map((year) => ({ day: `${String(year).padStart(4, '0')}-01-01`, label: `${year}`, onlyWide: false }))
    .filter(({ day }) => day >= scale.from && day <= scale.to)
    .map((tick, i) => ({ ...tick, onlyWide: i % 2 === 1 }));
}

function monthRow(scale: DayScale): readonly DayTick[] {
  const labelledYears = new Set<string>();
  return row(scale, monthStarts(scale), (day, room) => {
    if (room < ROOM) return '';
    const year = day.slice(0, 4);
    if (labelledYears.has(year) || room < ROOM_WITH_YEAR) return formatMonth(day);
    labelledYears.add(year);
    return `${formatMonth(day)} ${year}`;
  });
}

function yearRow(scale: DayScale): readonly DayTick[] {
  const years = monthStarts(scale).filter((day) => day.endsWith('-01-01'));
  return row(scale, years, (day, room) => (room < ROOM ? '' : day.slice(0, 4)));
}

/** One tick per start, and one for the first day's period. */
function row(scale: DayScale, starts: readonly Day[], labelOf: (day: Day, room: number) => string): readonly DayTick[] {
  const days = starts[0] === scale.from ? starts : [scale.from, ...starts];
  return days.map((day, i) => {
    const next = days[i + 1];
    const room = (next === undefined ? 100 : scale.startOf(next)) - scale.startOf(day);
    return { day, label: labelOf(day, room), onlyWide: false };
  });
}

function monthStarts(scale: DayScale): readonly Day[] {
  const first = scale.from.endsWith('-01') ? scale.from : addMonths(`${scale.from.slice(0, 8)}01`, 1);
  const months: Day[] = [];
  for (let day = first; day <= scale.to; day = addMonths(day, 1)) months.push(day);
  return months;
}

function monthIndex(day: Day): number {
  return Number(day.slice(5, 7)) - 1;
}
