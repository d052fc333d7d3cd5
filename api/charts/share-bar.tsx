import { formatNumber } from './format.ts';

export interface ShareBarProps {
  /** What is measured: `Units used today`. */
  readonly label: string;
  readonly used: number;
  /** Null when there is no limit. */
  readonly limit: number | null;
}

/** Above this part, the bar warns. */
const NEARLY_ALL = 0.8;
/** A value at the limit lies above this part; a little less than one, as a meter compares with "more than". */
const ALL = 0.9999;
/** A meter needs room; of a limit of zero all is used. */
const LEAST_LIMIT = 1;

/** How much of a limit is used, as a meter with its numbers beside it. */
export function ShareBar({ label, used, limit }: ShareBarProps): JSX.Element {
  const [count, most] = [counted(used), limit === null ? null : counted(limit)];
  const text = most === null ? `${formatNumber(count)}, no limit` : `${formatNumber(count)} of ${formatNumber(most)}`;
  return (
    <span class="chart-share">
      {most !== null && <Meter label={label} text={text} used={count} limit={most} />}
      <span class="chart-share-text" safe>
        {text}
      </span>
    </span>
  );
}

interface MeterProps {
  readonly label: string;
  readonly text: string;
  readonly used: number;
  readonly limit: number;
}

/** Browsers colour a meter by the part that its value lies in; the part up to `low` is the best. */
function Meter({ label, text, used, limit }: MeterProps): JSX.Element {
  const max = Math.max(limit, LEAST_LIMIT);
  const value = limit > 0 ? Math.min(used, max) : max;
  return (
    <meter
      class="chart-meter"
      aria-label={label}
      min={0}
      max={max}
      low={max * NEARLY_ALL}
      high={max * ALL}
      optimum={0}
      value={value}
      safe
    >
      {text}
    </meter>
  );
}

function counted(value: number): number {
  return Number.isFinite(value) ? Math.max(0, value) : 0;
}
