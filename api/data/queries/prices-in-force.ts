import type { Day } from '../../../runtime/day.ts';
import type { RecordOf } from '../../../schemas/datasets.ts';
import { numberSql } from '../../view/schema.ts';
import type { View } from '../../view/view.ts';
import { type Interval, readIntervals } from './history-points.ts';

type Fields = 'provider' | 'input_per_million' | 'output_per_million' | 'currency';

/** A price, and since when it is in force. Rates are absent before version 1.2 of the records. */
export interface PriceInForce extends Pick<RecordOf<'pricing'>, Fields> {
  readonly rates?: RecordOf<'pricing'>['rates'];
  /** First captured or reconstructed day; null for a current record whose row of the last night was set aside. */
  readonly validFrom: Day | null;
  readonly source: Interval['source'];
}

export interface PricesQuery {
  readonly model: string;
  /** Undefined: all. */
  readonly provider: string | undefined;
  readonly on: Day;
}

/** The prices of a model on a day, by provider. Today's are the current records, earlier ones the intervals of its history. */
export function readPrices(view: View, query: PricesQuery, today: Day): readonly PriceInForce[] {
  const { model, provider, on } = query;
  const intervals = readIntervals(view, { model, kind: 'pricing', series: provider, from: on, to: on });
  if (on !== today) {
    return intervals.map(({ payload, validFrom, source }) => ({ ...parsePrice(payload), validFrom, source }));
  }
  const lines = view.texts(
    `SELECT line AS text, "check" FROM pricing WHERE model = ${numberSql('model')}
       ${provider === undefined ? '' : `AND provider = ${numberSql('provider')}`} ORDER BY provider`,
    provider === undefined ? [model] : [model, provider],
  );
  const since = new Map(intervals.map(({ series, validFrom }) => [series, validFrom]));
  return lines.map((line) => {
    const price = parsePrice(line);
    return { ...price, validFrom: since.get(price.provider) ?? null, source: 'capture' };
  });
}

/**
 * The providers whose price is not known for a day without a capture, because it differs between the captures before and after it, by id.
 * One whose only price is before or after counts too.
 */
export function readUncertainProviders(view: View, { model, on }: PricesQuery): readonly string[] {
  const days = view.capturedDays('pricing');
  const [before, after] = [days.findLast((day) => day <= on), days.find((day) => day > on)];
  if (before === undefined || before === on || after === undefined) return [];
  const around = readIntervals(view, { model, kind: 'pricing', series: undefined, from: before, to: after });
  const known = around.filter(({ validFrom, validTo }) => validFrom <= on && on <= validTo).map(({ series }) => series);
  return [...new Set(around.map(({ series }) => series))].filter((provider) => !known.includes(provider)).sort();
}

type Price = Omit<PriceInForce, 'validFrom' | 'source'>;

/** Of a record, or of the payload of a point. */
function parsePrice(json: string): Price {
  const { provider, input_per_million, output_per_million, currency, rates } = JSON.parse(json) as Price; // As the night checked it.
  return { provider, input_per_million, output_per_million, currency, ...(rates === undefined ? {} : { rates }) };
}
