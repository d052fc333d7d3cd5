import type { Day } from '../../runtime/day.ts';

/** Intl varies between "Sept" and "Sep". */
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** No sign for negative zero. */
const signDisplay = 'negative';
const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2, signDisplay });
const SIGNIFICANT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6, signDisplay });
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3, signDisplay });
const MONEY = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
const SMALL_MONEY = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });

/** Outside these sizes, numbers have a power of ten. */
const POWERS_FROM = 1e15;
const POWERS_BELOW = 1e-6;

/** `1,234`, `0.6123`, `1.5e-9`, with a true minus sign; a dash if it is not finite. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (needsPower(size)) return withMinus(value.toPrecision(3).replace(/\.?0+(?=e|$)/, ''));
  return withMinus((size >= 1000 ? WHOLE : SIGNIFICANT).format(value));
}

/** A short number: `812`, `12.3k`, `1.2M`. */
export function formatCompact(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || needsPower(size)) return formatNumber(value);
  return withMinus(size < 10_000 ? formatNumber(value) : COMPACT.format(value).replace('K', 'k'));
}

/** US dollars, with more than two decimals for small amounts: `$2.50`, `$0.075`, `$0`. */
export function formatMoney(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(value) || needsPower(size)) return dollars(formatNumber(value));
  const small = SMALL_MONEY.format(value);
  const decimals = small.split('.')[1]?.length ?? 0;
  return dollars(withMinus(size < 1 && decimals > 2 ? small : MONEY.format(value)));
}

/** US dollars as {@link formatMoney}; others with their currency: `0.075 EUR`. */
export function formatPrice(value: number, currency: string): string {
  const money = formatMoney(value);
  return currency === 'USD' ? money : `${money.replace('$', '')} ${currency}`;
}

const EXACT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20, signDisplay });

/** With all digits: `1,200`, `0.000002025`. */
export function formatExact(value: number): string {
  return EXACT.format(value);
}

/** US dollars, or plain numbers. */
export type NumberKind = 'money' | 'number';

export function formatterOf(kind: NumberKind): (value: number) => string {
  return kind === 'money' ? formatMoney : formatNumber;
}

/** Characters that fit left of a chart. */
const TICK_LENGTH_MAX = 7;

/** In one format, short enough for the margin if they stay distinct. */
export function formatTicks(ticks: readonly number[], kind: NumberKind): readonly string[] {
  const full = kind === 'money' ? ticks.map(formatMoney) : withDecimalsAlike(ticks.map(formatNumber));
  const compact = ticks.map((tick) => (kind === 'money' ? dollars(formatCompact(tick)) : formatCompact(tick)));
  const power = ticks.map((tick) => (tick === 0 ? '0' : withMinus(tick.toExponential())));
  const fits = (labels: readonly string[]) =>
    labels.every((label) => label.length <= TICK_LENGTH_MAX) && new Set(labels).size === ticks.length;
  return [full, compact, power].find(fits) ?? full;
}

/** `3 Nov 2026`. */
export function formatDay(day: Day): string {
  return `${formatDayShort(day)} ${day.slice(0, 4)}`;
}

/** `3 Nov`, where the context tells the year. */
export function formatDayShort(day: Day): string {
  return `${Number(day.slice(8, 10))} ${formatMonth(day)}`;
}

/** `Nov`. */
export function formatMonth(day: Day): string {
  return MONTHS[Number(day.slice(5, 7)) - 1] ?? '';
}

/** `24 Aug to 21 Nov 2026`, `3 to 8 Nov 2026`; a single day alone. */
export function formatSpan(from: Day, to: Day): string {
  if (from === to) return formatDay(from);
  if (from.slice(0, 7) === to.slice(0, 7)) return `${Number(from.slice(8))} to ${formatDay(to)}`;
  return `${from.slice(0, 4) === to.slice(0, 4) ? formatDayShort(from) : formatDay(from)} to ${formatDay(to)}`;
}

/** `1 change`, `2 changes`, `no changes`. */
export function formatCount(count: number, noun: string): string {
  return `${count === 0 ? 'no' : formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Pads all numbers but zero to equal decimals. */
function withDecimalsAlike(labels: readonly string[]): readonly string[] {
  const decimalsOf = (label: string) => (/^[^e]*\.(\d+)$/.exec(label)?.[1] ?? '').length;
  const most = Math.max(0, ...labels.map(decimalsOf));
  if (most === 0 || labels.some((label) => label.includes('e'))) return labels;
  return labels.map((label) => {
    if (label === '0') return label;
    const decimals = decimalsOf(label);
    return `${label}${decimals === 0 ? '.' : ''}${'0'.repeat(most - decimals)}`;
  });
}

function needsPower(size: number): boolean {
  return size >= POWERS_FROM || (size > 0 && size < POWERS_BELOW);
}

function withMinus(text: string): string {
  return text.startsWith('-') ? `−${text.slice(1)}` : text;
}

function dollars(text: string): string {
  return text.startsWith('−') ? `−$${text.slice(1)}` : `$${text}`;
}
