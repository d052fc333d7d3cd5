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
import { ChangeMarks, Definitions, markedChanges, Readout, unmarkedInWords } from './marks.tsx';
import { type DayScale, dayScale, type ValueScale } from './scales.ts';
import { commonGaps, Gaps, type PlanWindow, StepLines, WindowNote } from './step-lines.tsx';

/** What is said of every chart of values over days. */
export interface DaysChartProps<T extends Interval> {
  /** Unique on the page; letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** At most six can be told apart; names are unique in the chart. */
  readonly series: readonly StepSeries<T>[];
  /** First and last day shown. */
  readonly from: Day;
  readonly to: Day;
  /** Without it, nothing is said about a window. */
  readonly window?: PlanWindow;
}

interface StepChartProps<T extends Interval> extends DaysChartProps<T> {
  /** What the numbers are. */
  readonly unit: string;
  /** How the ticks of the value axis are written. */
  readonly kind?: NumberKind;
  readonly words: SummaryWords<T>;
  /** The value axis for all values that are shown. */
  readonly scaleOf: (values: readonly number[]) => ValueScale;
}

/** What is drawn: the days, and the series as far as they lie within. */
interface Drawn<T extends Interval> {
  readonly days: DayScale;
  readonly series: readonly StepSeries<T>[];
}

/** So many series are told with their names. */
const NAMED_MAX = 2;

/** What the charts of values over days share: axes, lines, gaps, the plan's window, and every interval in the table. */
export function StepChart<T extends Interval>(props: StepChartProps<T>): JSX.Element {
  const { id, title, unit, words, window } = props;
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
      format={words.formatInterval}
    />
  );
  return (
    <ChartFigure
      id={id}
      title={title}
      summary={[summaryOf(series, days, words), unmarkedInWords(series)].filter(Boolean).join(' ')}
      legend={legendOf({ days, series }, props)}
      table={{
        caption: `${title}, ${formatSpan(days.from, days.to)} (${unit})`,
        columns: ['Days', 'Series', 'Value'],
        rows: series.flatMap((one) => rowsOf(one, days, words.formatInterval)),
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
          facts={factsOf(shown, series.length, words.formatInterval)}
        >
          {marksOf(from)}
        </Readout>
      ))}
      {stretches.length === 0 && marksOf()}
    </ChartFigure>
  );
}

/** Who points at a chart of many series reads their values alone, in the order and colours of the legend: names don't fit. */
function factsOf<T extends Interval>(held: Stretch<T>['held'], seriesCount: number, format: (interval: T) => string) {
  if (held.length === 0) return [{ text: 'no data' }];
  return held.map(({ name, look, interval }) => {
    const [value, text] = [format(interval), `${name} ${format(interval)}`];
    return { look, text, short: seriesCount > NAMED_MAX ? value : text };
  });
}

function legendOf<T extends Interval>(
  { days, series }: Drawn<T>,
  { window, words: { formatInterval } }: StepChartProps<T>,
): readonly LegendItem[] {
  const items: LegendItem[] = series.map(({ name, intervals }, i) => {
    const last = intervals.filter(isHeld).at(-1);
    return { look: i, label: last ? `${name}, last ${formatInterval(last)}` : name };
  });
  if (commonGaps(series, days).length > 0) items.push({ look: 'gap', label: 'no data' });
  if (window && window.from > days.from)
    items.push({ look: 'before', label: `before your plan's window of ${formatCount(window.months, 'month')}` });
  return items;
}

/** Every interval and every gap of a series, the newest first. */
function rowsOf<T extends Interval>(series: StepSeries<T>, days: DayScale, format: (interval: T) => string) {
  const held = series.intervals
    .filter(({ value }) => value !== null)
    .map((interval) => ({ from: interval.from, to: interval.to, text: format(interval) }));
  const gaps = gapsOf(series.intervals, days.from, days.to).map(({ from, to }) => ({ from, to, text: 'no data' }));
  return [...held, ...gaps]
    .sort((a, b) => (a.from > b.from ? -1 : 1))
    .map(({ from, to, text }) => [formatSpan(from, to), series.name, text]);
}

/** How a kind of chart words its summary. */
export interface SummaryWords<T extends Interval> {
  readonly formatInterval: (interval: T) => string;
  readonly formatValue: (value: number) => string;
  /** The ends of the range: `least`, `most`; of ranks `best`, `worst`. */
  readonly lowest: string;
  readonly highest: string;
}

/** So many series are told one by one; of more it is told what they have in common, and the table has the rest. */
const TOLD_MAX = 2;

/** What a chart of values over days shows, in sentences. */
export function summaryOf<T extends Interval>(
  series: readonly StepSeries<T>[],
  days: DayScale,
  words: SummaryWords<T>,
): string {
  const span = `${formatSpan(days.from, days.to)}.`;
  if (series.length <= TOLD_MAX) return [span, ...series.map((one) => seriesInWords(one, days, words))].join(' ');
  const all = series.flatMap(({ intervals }) => intervals.filter(isHeld));
  return `${span} ${series.length} series, ${rangeInWords(all, words) ?? 'no data'}.`;
}

/** `Input $2.50 at the end; least $2, most $3; 2 changes; no data in 1 gap.` */
function seriesInWords<T extends Interval>(series: StepSeries<T>, days: DayScale, words: SummaryWords<T>): string {
  const held = series.intervals.filter(isHeld);
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last) return `${series.name}: no data.`;
  const changes = changesOf(held).length - 1;
  const gaps = gapsOf(held, first.from, days.to).length;
  const parts = [
    `${series.name} ${words.formatInterval(last)} ${last.to === days.to ? 'at the end' : `on ${formatDay(last.to)}`}`,
    changes === 0 ? 'no change' : rangeInWords(held, words),
    changes === 0 ? '' : formatCount(changes, 'change'),
    first.from > days.from ? `first seen on ${formatDay(first.from)}` : '',
    gaps > 0 ? `no data in ${formatCount(gaps, 'gap')}` : '',
  ];
  return `${parts.filter(Boolean).join('; ')}.`;
}

function rangeInWords<T extends Interval>(held: readonly Held<T>[], words: SummaryWords<T>): string | undefined {
  const sorted = held.map(({ value }) => value).sort((a, b) => a - b);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined) return;
  return `${words.lowest} ${words.formatValue(low)}, ${words.highest} ${words.formatValue(high)}`;
}
