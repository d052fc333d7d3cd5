import type { JSX } from 'preact';
import type { Day } from '../../runtime/day.ts';
import { DayAxis, ValueAxis } from './axes.tsx';
import { ChartFigure, type LegendItem } from './figure.tsx';
import { formatCount, formatDay, formatSpan, type NumberKind } from './format.ts';
import {
  changesOf,
  gapsOf,
  type Held,
  type Interval,
  isHeld,
  type StepSeries,
  type Stretch,
  shownIntervals,
  stretchesOf,
} from './intervals.ts';
import { ChangeMarks, Definitions, markedChanges, Readout, unmarkedText } from './marks.tsx';
import { type DayScale, dayScale, type ValueScale } from './scales.ts';
import { commonGaps, Gaps, type PlanWindow, StepLines, WindowNote } from './step-lines.tsx';

export interface DaysChartProps<T extends Interval> {
  /** Unique on the page; letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** At most six are distinct; names are unique. */
  readonly series: readonly StepSeries<T>[];
  /** First and last day shown. */
  readonly from: Day;
  readonly to: Day;
  /** The plan's history window, to be marked. */
  readonly window?: PlanWindow;
}

interface StepChartProps<T extends Interval> extends DaysChartProps<T> {
  readonly unit: string;
  readonly kind?: NumberKind;
  readonly wording: SummaryWording<T>;
  readonly scaleOf: (values: readonly number[]) => ValueScale;
}

/** The series, cut to the days. */
interface Drawn<T extends Interval> {
  readonly days: DayScale;
  readonly series: readonly StepSeries<T>[];
}

/** Up to this many are named while pointed at. */
const NAMED_MAX = 2;

/** Values over days: axes, lines, gaps, the plan's window, and a table. */
export function StepChart<T extends Interval>(props: StepChartProps<T>): JSX.Element {
  const { id, title, unit, wording, window } = props;
  const days = dayScale(props.from, props.to);
  const series = props.series.map(({ name, intervals }) => ({
    name,
    intervals: shownIntervals(intervals, days.from, days.to),
  }));
  const held = series.flatMap(({ intervals }) => intervals.filter(isHeld));
  const values = props.scaleOf(held.map(({ value }) => value));
  const changes = markedChanges(series);
  const stretches = stretchesOf(series, days);
  const marksOf = (from?: Day) => (
    <ChangeMarks
      id={id}
      changes={from === undefined ? changes : changes.filter(({ change }) => change.interval.from === from)}
      days={days}
      values={values}
      format={wording.formatInterval}
    />
  );
  return (
    <ChartFigure
      id={id}
      title={title}
      summary={[summaryOf(series, days, wording), unmarkedText(series)].filter(Boolean).join(' ')}
      legend={legendOf({ days, series }, props)}
      table={{
        caption: `${title}, ${formatSpan(days.from, days.to)} (${unit})`,
        columns: ['Days', 'Series', 'Value'],
        rows: series.flatMap((one) => rowsOf(one, days, wording.formatInterval)),
      }}
    >
      <Definitions id={id} series={series.length} />
      <Gaps id={id} series={series} days={days} />
      {window !== undefined && <WindowNote window={window} scale={days} />}
      <ValueAxis scale={values} unit={unit} kind={props.kind ?? 'number'} />
      <DayAxis scale={days} />
      <StepLines series={series} days={days} values={values} />
      {stretches.map(({ from, to, held: shown }) => (
        <Readout
          start={days.startOf(from)}
          end={days.endOf(to)}
          days={formatSpan(from, to)}
          facts={factsOf(shown, series.length, wording.formatInterval)}
        >
          {marksOf(from)}
        </Readout>
      ))}
      {stretches.length === 0 && marksOf()}
    </ChartFigure>
  );
}

/** Names of many series don't fit: values stand alone, as in the legend. */
function factsOf<T extends Interval>(held: Stretch<T>['held'], seriesCount: number, format: (interval: T) => string) {
  if (held.length === 0) return [{ text: 'no data' }];
  return held.map(({ name, style, interval }) => {
    const [value, text] = [format(interval), `${name} ${format(interval)}`];
    return { style, text, short: seriesCount > NAMED_MAX ? value : text };
  });
}

function legendOf<T extends Interval>(
  { days, series }: Drawn<T>,
  { window, wording: { formatInterval } }: StepChartProps<T>,
): readonly LegendItem[] {
  const items: LegendItem[] = series.map(({ name, intervals }, i) => {
    const last = intervals.filter(isHeld).at(-1);
    return { style: i, label: last ? `${name}, last ${formatInterval(last)}` : name };
  });
  if (commonGaps(series, days).length > 0) items.push({ style: 'gap', label: 'no data' });
  if (window && window.from > days.from)
    items.push({ style: 'before', label: `before your plan's window of ${formatCount(window.months, 'month')}` });
  return items;
}

/** Newest first, with gaps. */
function rowsOf<T extends Interval>(series: StepSeries<T>, days: DayScale, format: (interval: T) => string) {
  const held = series.intervals
    .filter(({ value }) => value !== null)
    .map((interval) => ({ from: interval.from, to: interval.to, text: format(interval) }));
  const gaps = gapsOf(series.intervals, days.from, days.to).map(({ from, to }) => ({ from, to, text: 'no data' }));
  return [...held, ...gaps]
    .sort((a, b) => (a.from > b.from ? -1 : 1))
    .map(({ from, to, text }) => [formatSpan(from, to), series.name, text]);
}

export interface SummaryWording<T extends Interval> {
  readonly formatInterval: (interval: T) => string;
  readonly formatValue: (value: number) => string;
  /** The ends of the range: `lowest`, `highest`; of ranks `best`, `worst`. */
  readonly lowest: string;
  readonly highest: string;
}

/** Up to this many are summarized one by one, more by their range. */
const DETAILED_MAX = 2;

/** The summary in sentences. */
export function summaryOf<T extends Interval>(
  series: readonly StepSeries<T>[],
  days: DayScale,
  wording: SummaryWording<T>,
): string {
  const span = `${formatSpan(days.from, days.to)}.`;
  if (series.length <= DETAILED_MAX) return [span, ...series.map((one) => seriesText(one, days, wording))].join(' ');
  const all = series.flatMap(({ intervals }) => intervals.filter(isHeld));
  return `${span} ${series.length} series, ${rangeText(all, wording) ?? 'no data'}.`;
}

/** `Input $2.50 at the end; lowest $2, highest $3; 2 changes; no data in 1 gap.` */
function seriesText<T extends Interval>(series: StepSeries<T>, days: DayScale, wording: SummaryWording<T>): string {
  const held = series.intervals.filter(isHeld);
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last) return `${series.name}: no data.`;
  const changes = changesOf(held).length - 1;
  const gaps = gapsOf(held, first.from, days.to).length;
  const parts = [
    `${series.name} ${wording.formatInterval(last)} ${last.to === days.to ? 'at the end' : `on ${formatDay(last.to)}`}`,
    changes === 0 ? 'no change' : rangeText(held, wording),
    changes === 0 ? '' : formatCount(changes, 'change'),
    first.from > days.from ? `first value on ${formatDay(first.from)}` : '',
    gaps > 0 ? `no data in ${formatCount(gaps, 'gap')}` : '',
  ];
  return `${parts.filter(Boolean).join('; ')}.`;
}

function rangeText<T extends Interval>(held: readonly Held<T>[], wording: SummaryWording<T>): string | undefined {
  const sorted = held.map(({ value }) => value).sort((a, b) => a - b);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined) return;
  return `${wording.lowest} ${wording.formatValue(low)}, ${wording.highest} ${wording.formatValue(high)}`;
}
