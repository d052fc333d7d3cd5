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

/** One UTC day. */
export interface UsageDay {
  readonly day: Day;
  readonly units: number;
  /** Units that the plan allowed; null without a limit. */
  readonly limit: number | null;
  /** Requests refused because of the limit. */
  readonly refused: number;
}

export interface UsageChartProps {
  /** Unique on the page; letters, digits and hyphens. */
  readonly id: string;
  /** Default: `Units per day`. */
  readonly title?: string;
  /** In any order; a missing day counts as zero, without limit. */
  readonly days: readonly UsageDay[];
  /** First and last day shown. */
  readonly from: Day;
  readonly to: Day;
  /** The day that is not over yet. */
  readonly today?: Day;
}

/** A limit this many times above the usage would flatten the bars: it is only text. */
const HIDDEN_LIMIT_FACTOR = 6;

/** Units per day, refused requests on top, the limit as a line. */
export function UsageChart(props: UsageChartProps): JSX.Element {
  const { id, title = 'Units per day', today } = props;
  const days = dayScale(props.from, props.to);
  const usage = usageByDay(props.days, days);
  const used = Math.max(0, ...usage.map(({ units, refused }) => units + refused));
  const limits = usage.map(({ limit }) => limit).filter((limit) => limit !== null);
  const visible = used === 0 ? limits : limits.filter((limit) => limit <= used * HIDDEN_LIMIT_FACTOR);
  const values = valueScale([used, ...visible], { height: LAYOUT.height, fromZero: true, whole: true });
  return (
    <ChartFigure
      id={id}
      title={title}
      summary={summaryOf(usage, days)}
      legend={legendOf(usage, visible.length > 0, today)}
      table={tableOf(usage, title, days, today)}
    >
      <ValueAxis scale={values} unit="units" />
      <DayAxis scale={days} />
      {usage.map((day) => (
        <UsageBar usage={day} days={days} values={values} isToday={day.day === today} facts={factsOf(day, today)} />
      ))}
      <LimitLine limits={usage} days={days} values={values} />
      {visible.length < limits.length && (
        <text class="chart-note" x="100%" y={px(PLOT_TOP - 6)} text-anchor="end">
          {`↑ limit ${formatNumber(limits.at(-1) ?? 0)} a day, above this chart`}
        </text>
      )}
    </ChartFigure>
  );
}

/** Invalid or negative numbers count as zero. */
function usageByDay(given: readonly UsageDay[], { from, count }: DayScale): readonly UsageDay[] {
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

function legendOf(usage: readonly UsageDay[], isLimitVisible: boolean, today: Day | undefined): readonly LegendItem[] {
  const items: LegendItem[] = [{ style: 'used', label: 'used' }];
  if (usage.some(({ day }) => day === today)) items.push({ style: 'unfinished', label: 'today, not over yet' });
  if (usage.some(({ refused }) => refused > 0)) items.push({ style: 'refused', label: 'refused beyond the limit' });
  if (isLimitVisible) items.push({ style: 'limit', label: 'limit of the day' });
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
  readonly facts: readonly Fact[];
}

/** Of a day's width. */
const BAR = 0.72;
/** In pixels, so that small counts are visible. */
const HEIGHT_MIN = 2;

/** Used units, and refused requests above them. */
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
  return count > 0 ? Math.max(HEIGHT_MIN, values.yOf(0) - values.yOf(count)) : 0;
}

interface LimitLineProps {
  readonly limits: readonly { readonly day: Day; readonly limit: number | null }[];
  readonly days: DayScale;
  readonly values: ValueScale;
}

/** Within the scale, the last one as a number. */
function LimitLine({ limits, days, values }: LimitLineProps): JSX.Element | null {
  const visible = limits.filter(({ limit }) => limit !== null && limit <= values.high);
  const intervals: readonly Interval[] = visible.map(({ day, limit }) => ({ from: day, to: day, value: limit }));
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
