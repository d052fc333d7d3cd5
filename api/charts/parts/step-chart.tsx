import type { JSX } from 'preact';
import type { Day } from '../../../runtime/day.ts';
import { formatCount, formatSpan, type NumberKind } from '../format.ts';
import type { DayScale } from '../scales/day-scale.ts';
import { gapsOf, type Interval, isHeld } from '../scales/intervals.ts';
import type { ValueScale } from '../scales/value-scale.ts';
import { DayAxis, ValueAxis } from './axes.tsx';
import { ChangeMarks, markedChanges, unmarkedInWords } from './change-marks.tsx';
import { ChartFigure } from './chart-figure.tsx';
import type { LegendItem } from './legend.tsx';
import { Definitions } from './marks.tsx';
import { Readout } from './readout.tsx';
import { commonGaps, Gaps, StepLines, type StepSeries } from './step-lines.tsx';
import { type Stretch, stretchesOf } from './stretches.ts';
import { type PlanWindow, WindowNote } from './window-note.tsx';

export interface StepChartProps<T extends Interval> {
  readonly id: string;
  readonly title: string;
  /** What the numbers are. */
  readonly unit: string;
  /** What is told about the series, as sentences. */
  readonly summary: string;
  readonly series: readonly StepSeries<T>[];
  readonly days: DayScale;
  readonly values: ValueScale;
  readonly window: PlanWindow | undefined;
  /** How the ticks of the value axis are written. */
  readonly kind?: NumberKind;
  /** What an interval held, for people. */
  readonly formatInterval: (interval: T) => string;
}

/** So many series are told with their names. */
const NAMED_MAX = 2;

/** What the charts of values over days share: axes, lines, gaps, the plan's window, and every interval in the table. */
export function StepChart<T extends Interval>(props: StepChartProps<T>): JSX.Element {
  const { id, title, series, days, values, formatInterval } = props;
  const changes = markedChanges(series);
  const stretches = stretchesOf(series, days);
  const marksOf = (from?: Day) => (
    <ChangeMarks
      id={id}
      changes={from === undefined ? changes : changes.filter(({ change }) => change.interval.from === from)}
      days={days}
      values={values}
      format={formatInterval}
    />
  );
  return (
    <ChartFigure
      id={id}
      title={title}
      summary={[props.summary, unmarkedInWords(series)].filter(Boolean).join(' ')}
      legend={legendOf(props)}
      table={{
        caption: `${title}, ${formatSpan(days.from, days.to)} (${props.unit})`,
        columns: ['Days', 'Series', 'Value'],
        rows: series.flatMap((one) => rowsOf(one, days, formatInterval)),
      }}
    >
      <Definitions id={id} series={series.length} />
      <Gaps id={id} series={series} days={days} />
      {props.window !== undefined && <WindowNote window={props.window} scale={days} />}
      <ValueAxis scale={values} unit={props.unit} kind={props.kind ?? 'number'} />
      <DayAxis scale={days} />
      <StepLines series={series} days={days} values={values} />
      {stretches.map(({ from, to, held }) => (
        <Readout
          start={days.startOf(from)}
          end={days.endOf(to)}
          days={formatSpan(from, to)}
          facts={factsOf(held, series.length, formatInterval)}
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

function legendOf<T extends Interval>(props: StepChartProps<T>): readonly LegendItem[] {
  const { series, days, window, formatInterval } = props;
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
