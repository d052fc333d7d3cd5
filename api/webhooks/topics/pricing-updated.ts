import { z } from 'zod';
import { type PricedRecord, type RateChange, rateChanges } from '../../../schemas/rate-changes.ts';
import { RateSchema } from '../../../schemas/rates.ts';
import { type Comparison, changeTopic, type Direction, type RateMove, Seq } from './topic.ts';

/** A model's price at a provider; null if absent. */
export type Price = Pick<PricedRecord, 'input' | 'output' | 'currency'>;

interface Facts {
  readonly before: PricedRecord | null;
  readonly after: PricedRecord | null;
}

/** Rates in a message, of up to 400 that may change: a digest has a thousand messages. */
export const RATES_MAX = 20;

const RateChangeSchema = RateSchema.omit({ price: true }).extend({
  from: z.number().nullable(),
  to: z.number().nullable(),
  change_percent: z.number().nullable(),
});

/** Prices that came, went or differ in any rate; other fields don't count. */
export const PRICING_UPDATED = changeTopic({
  name: 'pricing.updated',
  sentWhen: 'a price changed, or a provider came or went',
  data: z.strictObject({
    model_id: z.string(),
    provider: z.string(),
    change: z.enum(['price', 'provider_added', 'provider_removed']),
    rates: z.array(RateChangeSchema).max(RATES_MAX).optional().describe('With `change` `price`: rates that changed'),
    rates_changed: z.number().int().nonnegative().optional().describe('All of them, including those not listed'),
    currency: z
      .strictObject({ from: z.string().nullable(), to: z.string().nullable() })
      .optional()
      .describe('If it changed'),
    seq: Seq,
  }),
  dataset: 'pricing',
  compared: ['input_per_million', 'output_per_million', 'currency', 'rates'],
  select: ({ changes, sameKey, differs, has }) => `SELECT c.seq, c.model_id, c.provider AS part,
      json_object('before', CASE WHEN b.model_id IS NOT NULL THEN ${priceSql('b', has)} END,
        'after', CASE WHEN c.op = 'upsert' THEN ${priceSql('c', has)} END)::VARCHAR AS facts
    FROM (${changes}) c LEFT JOIN before_records b ON ${sameKey}
    WHERE c.op = 'delete' OR b.model_id IS NULL OR ${differs}`,
  contentFromRow: ({ seq, model_id, part, ...row }) => {
    const { before, after } = JSON.parse(row.facts) as Facts; // Made by the SELECT above.
    const changes = rateChanges(before, after);
    const isSameCurrency = before === null || after === null || before.currency === after.currency;
    const rates = changes.map((change) => moveOf(change, isSameCurrency));
    if (before === null || after === null) {
      const change = after === null ? ('provider_removed' as const) : ('provider_added' as const);
      return { data: { model_id, provider: part, change, seq }, largestChangePercent: NO_PERCENT, rates };
    }
    // The rates only count by another number of units.
    if (changes.length === 0 && isSameCurrency) return undefined;
    const data = {
      model_id,
      provider: part,
      change: 'price' as const,
      rates: changes.slice(0, RATES_MAX),
      rates_changed: changes.length,
      ...(isSameCurrency ? {} : { currency: { from: before.currency, to: after.currency } }),
      seq,
    };
    return { data, largestChangePercent: largestChangePercent(before, after), rates };
  },
});

function priceSql(alias: 'b' | 'c', has: Comparison['has']): string {
  const value = (column: string) => (has(column) ? `${alias}.${column}` : 'NULL');
  return `json_object('input', ${value('input_per_million')}, 'output', ${value('output_per_million')},
    'currency', ${value('currency')}, 'rates', ${value('rates')}::JSON)`;
}

const NO_PERCENT = Number.POSITIVE_INFINITY;

function percentOf({ change_percent: percent }: RateChange): number {
  return percent === null ? NO_PERCENT : Math.abs(percent);
}

function moveOf(change: RateChange, isSameCurrency: boolean): RateMove {
  const { meter, from, to } = change;
  const isComparable = isSameCurrency && from !== null && to !== null;
  return { meter, direction: isComparable ? directionOf(from, to) : null, percent: percentOf(change) };
}

function directionOf(from: number, to: number): Direction {
  return to > from ? 'up' : 'down';
}

/**
 * The larger relative change of input and output without condition in percent, to twelve digits, so that 3 to 3.3 is 10; Infinity if a
 * price came, went or was zero, or the currency differs.
 */
export function largestChangePercent(before: Price, after: Price): number {
  if (before.currency !== after.currency) return NO_PERCENT;
  return Math.max(0, ...rateChanges({ ...before, rates: null }, { ...after, rates: null }).map(percentOf));
}
