import type { JSX } from 'preact';
import { addDays, type Day } from '../../runtime/day.ts';
import { DayAxis, ValueAxis } from './axes.tsx';
import { ChartFigure, type LegendItem } from './figure.tsx';
import { formatCount, formatDay, formatDayShort, formatNumber, formatSpan } from './format.ts';
import type { Interval } from './intervals.ts';
import { type Fact, Readout } from './marks.tsx';
import {
  type DayScale,
  dayScale,
  LAYOUT,
  PLOT_BOTTOM,
  PLOT_TOP,
  percent,
  px,
  type ValueScale,
  valueScale,
} from './scales.ts';
import { linePath, StretchedLines } from './step-lines.tsx';

/** What an organization used on one UTC day. */
export interface UsageDay {
  readonly day: Day;
  readonly units: number;
  /** Units that the plan allowed on that day; null when it has no limit. */
  readonly limit: number | null;
  /** Requests that were refused because the limit was reached. */
  readonly refused: number;
}

export interface UsageChartProps {
  /** Unique on the page; letters, digits and hyphens. */
  readonly id: string;
  /** `Units per day` unless told. */
  readonly title?: string;
  /** In any order; a day that is missing counts as zero, its limit is not drawn. */
  readonly days: readonly UsageDay[];
  /** First and last day shown. */
  readonly from: Day;
  readonly to: Day;
  /** The day that isn't over yet. */
  readonly today?: Day;
}

/** A limit this many times above what was used is told in words: drawn, it would leave the bars no height. */
const LIMIT_OUT_OF_SIGHT = 6;

/** Units used on each day, what was refused on top, and the day's limit as a line. */
export function UsageChart(props: UsageChartProps): JSX.Element {
  const { id, title = 'Units per day', today } = props;
  const days = dayScale(props.from, props.to);
  const usage = everyDay(props.days, days);
  const used = Math.max(0, ...usage.map(({ units, refused }) => units + refused));
  const limits = usage.map(({ limit }) => limit).filter((limit) => limit !== null);
  const seen = used === 0 ? limits : limits.filter((limit) => limit <= used * LIMIT_OUT_OF_SIGHT);
  const values = valueScale([used, ...seen], { height: LAYOUT.height, fromZero: true, whole: true });
  return (
    <ChartFigure
      id={id}
      title={title}
      summary={summaryOf(usage, days)}
      legend={legendOf(usage, seen.length > 0, today)}
      table={tableOf(usage, title, days, today)}
    >
      <ValueAxis scale={values} unit="units" />
      <DayAxis scale={days} />
      {usage.map((day) => (
        <UsageBar usage={day} days={days} values={values} isToday={day.day === today} facts={factsOf(day, today)} />
      ))}
      <LimitLine limits={usage} days={days} values={values} />
      {seen.length < limits.length && (
        <text class="chart-note" x="100%" y={px(PLOT_TOP - 6)} text-anchor="end">
          {`↑ limit ${formatNumber(limits.at(-1) ?? 0)} a day, above this chart`}
        </text>
      )}
    </ChartFigure>
  );
}

/** A row for each day shown; numbers that are none, or below zero, count as zero. */
function everyDay(given: readonly UsageDay[], { from, count }: DayScale): readonly UsageDay[] {
  const known = new Map(given.map((one) => [one.day, one]));
  return Array.from({ length: count }, (_, i) => {
    const day = addDays(from, i);
    const { units = 0, limit = null, refused = 0 } = known.get(day) ?? {};
    return { day, units: counted(units), limit: limit === null ? null : counted(limit), refused: counted(refused) };
  });
}

function counted(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, value), Number.MAX_SAFE_INTEGER) : 0;
}

function summaryOf(usage: readonly UsageDay[], days: DayScale): string {
  const total = usage.reduce((sum, { units }) => sum + units, 0);
  const refused = usage.reduce((sum, one) => sum + one.refused, 0);
  const most = usage.reduce((a, b) => (b.units > a.units ? b : a));
  const span = `${formatSpan(days.from, days.to)}: `;
  if (total === 0 && refused === 0) return `${span}nothing used yet.`;
  const refusals = refused === 0 ? '' : ` Refused beyond the limit: ${formatCount(refused, 'request')}.`;
  return `${span}${formatCount(total, 'unit')}, most on ${formatDayShort(most.day)} (${formatNumber(most.units)}).${refusals}`;
}

function factsOf({ day, units, limit, refused }: UsageDay, today: Day | undefined): readonly Fact[] {
  const used = limit === null ? formatCount(units, 'unit') : `${formatNumber(units)} of ${formatCount(limit, 'unit')}`;
  const facts = [used, refused > 0 && `${formatNumber(refused)} refused`, day === today && 'not over yet'];
  return facts.filter((text) => text !== false).map((text) => ({ text }));
}

function legendOf(usage: readonly UsageDay[], limitIsSeen: boolean, today: Day | undefined): readonly LegendItem[] {
  const items: LegendItem[] = [{ look: 'used', label: 'used' }];
  if (usage.some(({ day }) => day === today)) items.push({ look: 'unfinished', label: 'today, not over yet' });
  if (usage.some(({ refused }) => refused > 0)) items.push({ look: 'refused', label: 'refused beyond the limit' });
  if (limitIsSeen) items.push({ look: 'limit', label: 'limit of the day' });
  return items;
}

function tableOf(usage: readonly UsageDay[], title: string, days: DayScale, today: Day | undefined) {
  return {
    caption: `${title}, ${formatSpan(days.from, days.to)}`,
    columns: ['Day (UTC)', 'Units used', 'Limit', 'Requests refused'],
    rows: usage
      .toReversed()
      .map(({ day, units, limit, refused }) => [
        `${formatDay(day)}${day === today ? ', not over yet' : ''}`,
        formatNumber(units),
        limit === null ? '–' : formatNumber(limit),
        formatNumber(refused),
      ]),
  };
}

interface UsageBarProps {
  readonly usage: { readonly day: Day; readonly units: number; readonly refused: number };
  readonly days: DayScale;
  readonly values: ValueScale;
  readonly isToday: boolean;
  /** What is told about the day. */
  readonly facts: readonly Fact[];
}

/** Part of a day's room that its bar takes. */
const BAR = 0.72;
/** What is not zero is seen, however small: pixels. */
const LEAST_HEIGHT = 2;

/** The bar of a day: what was used, and above it what was refused. */
function UsageBar({ usage: { day, units, refused }, days, values, isToday, facts }: UsageBarProps): JSX.Element {
  const [start, end] = [days.startOf(day), days.endOf(day)];
  const inset = ((end - start) * (1 - BAR)) / 2;
  const place = { x: percent(start + inset), width: percent((end - start) * BAR) };
  const [usedHeight, refusedHeight] = [heightOf(units, values), heightOf(refused, values)];
  return (
    <Readout start={start} end={end} days={formatDay(day)} facts={facts}>
      {usedHeight > 0 && (
        <rect
          class={isToday ? 'chart-unfinished' : 'chart-used'}
          x={place.x}
          width={place.width}
          y={px(PLOT_BOTTOM - usedHeight)}
          height={px(usedHeight)}
        />
      )}
      {refusedHeight > 0 && (
        <rect
          class="chart-refused"
          x={place.x}
          width={place.width}
          y={px(PLOT_BOTTOM - usedHeight - refusedHeight)}
          height={px(refusedHeight)}
        />
      )}
    </Readout>
  );
}

function heightOf(count: number, values: ValueScale): number {
  return count > 0 ? Math.max(LEAST_HEIGHT, values.yOf(0) - values.yOf(count)) : 0;
}

interface LimitLineProps {
  readonly limits: readonly { readonly day: Day; readonly limit: number | null }[];
  readonly days: DayScale;
  readonly values: ValueScale;
}

/** The limit of each day, where it lies within the scale, with the last one in numbers. */
function LimitLine({ limits, days, values }: LimitLineProps): JSX.Element | null {
  const seen = limits.filter(({ limit }) => limit !== null && limit <= values.high);
  const intervals: readonly Interval[] = seen.map(({ day, limit }) => ({ from: day, to: day, value: limit }));
  const last = intervals.at(-1);
  if (!last || last.value === null) return null;
  return (
    <>
      <StretchedLines>
        <path class="chart-limit" d={linePath(intervals, days, values)} />
      </StretchedLines>
      <text class="chart-note" x="100%" y={px(PLOT_TOP + values.yOf(last.value) - 6)} text-anchor="end">
        {`limit ${formatNumber(last.value)}`}
      </text>
    </>
  );
}
