import { z } from 'zod';
import { plainNumber } from '../../../runtime/plain-number.ts';
import { type Comparison, changeTopic, Seq } from './topic.ts';

/** A model's price at a provider; null if absent. */
export interface Price {
  readonly input: number | null;
  readonly output: number | null;
  /** Null if the record's version does not have it. */
  readonly currency: string | null;
}

type Facts =
  | { readonly change: 'provider_added' | 'provider_removed' }
  | { readonly change: 'price'; readonly before: Price; readonly after: Price };

/** Prices that came, went or differ; other fields don't count. */
export const PRICING_UPDATED = changeTopic({
  name: 'pricing.updated',
  sentWhen: 'a price changed, or a provider came or went',
  data: z.strictObject({
    model_id: z.string(),
    provider: z.string(),
    change: z.enum(['price', 'provider_added', 'provider_removed']),
    seq: Seq,
  }),
  dataset: 'pricing',
  compared: ['input_per_million', 'output_per_million', 'currency'],
  select: ({ changes, sameKey, differs, has }) => `SELECT c.seq, c.model_id, c.provider AS part,
      CASE WHEN c.op = 'delete' THEN '{"change":"provider_removed"}'
        WHEN b.model_id IS NULL THEN '{"change":"provider_added"}'
        ELSE json_object('change', 'price', 'before', ${priceSql('b', has)}, 'after', ${priceSql('c', has)})::VARCHAR END AS facts
    FROM (${changes}) c LEFT JOIN before_records b ON ${sameKey}
    WHERE c.op = 'delete' OR b.model_id IS NULL OR ${differs}`,
  contentFromRow: ({ seq, model_id, part, ...row }) => {
    const facts = JSON.parse(row.facts) as Facts; // Made by the SELECT above.
    return {
      data: { model_id, provider: part, change: facts.change, seq },
      largestChangePercent:
        facts.change === 'price' ? largestChangePercent(facts.before, facts.after) : Number.POSITIVE_INFINITY,
    };
  },
});

function priceSql(alias: 'b' | 'c', has: Comparison['has']): string {
  const value = (column: string) => (has(column) ? `${alias}.${column}` : 'NULL');
  return `json_object('input', ${value('input_per_million')}, 'output', ${value('output_per_million')}, 'currency', ${value('currency')})`;
}

/**
 * The larger relative change in percent, to twelve digits, so that 3 to 3.3 is 10; Infinity if a price came, went or
 * was zero, or the currency differs.
 */
export function largestChangePercent(before: Price, after: Price): number {
  if (before.currency !== after.currency) return Number.POSITIVE_INFINITY;
  return Math.max(changePercent(before.input, after.input), changePercent(before.output, after.output));
}

function changePercent(before: number | null, after: number | null): number {
  if (before === after) return 0;
  if (before === null || after === null || before === 0) return Number.POSITIVE_INFINITY;
  return plainNumber((Math.abs(after - before) / before) * 100);
}
