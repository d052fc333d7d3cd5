import { formatCount, formatDay, formatSpan } from '../format.ts';
import type { DayScale } from '../scales/day-scale.ts';
import { changesOf, gapsOf, type Held, type Interval, isHeld } from '../scales/intervals.ts';
import type { StepSeries } from './step-lines.tsx';

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
