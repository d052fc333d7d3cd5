import { z } from 'zod';
import { type Comparison, changeTopic, Seq } from './topic.ts';

const FIELDS = ['name', 'status', 'deprecated_on', 'retires_on', 'replaced_by'] as const;

type Values = Readonly<Partial<Record<(typeof FIELDS)[number], string | null>>>;

/** Models of before and after the night whose name, status, dates or successor differ; other fields don't count. */
export const MODEL_UPDATED = changeTopic({
  name: 'model.updated',
  sentWhen: 'name, status, dates of deprecation or retirement, or successor of a model changed',
  data: z.strictObject({
    model_id: z.string(),
    changed: z
      .array(z.strictObject({ field: z.enum(FIELDS), from: z.string().nullable(), to: z.string().nullable() }))
      .min(1)
      .describe('Changed fields with their values before and after; null: unknown'),
    seq: Seq,
  }),
  dataset: 'models',
  compared: FIELDS,
  select: ({ changes, sameKey, differs, has }) => `SELECT c.seq, c.id AS model_id, NULL::VARCHAR AS part,
      json_object('before', ${valuesSql('b', has)}, 'after', ${valuesSql('c', has)})::VARCHAR AS facts
    FROM (${changes}) c JOIN before_records b ON ${sameKey} WHERE c.op = 'upsert' AND ${differs}`,
  contentFromRow: ({ seq, model_id, facts }) => {
    const { before, after } = JSON.parse(facts) as { readonly before: Values; readonly after: Values }; // Made by the SELECT above.
    const changed = FIELDS.map((field) => ({ field, from: before[field] ?? null, to: after[field] ?? null })).filter(
      ({ from, to }) => from !== to,
    );
    return { data: { model_id, changed, seq } };
  },
});

function valuesSql(alias: 'b' | 'c', has: Comparison['has']): string {
  const pairs = FIELDS.filter(has).map((field) => `'${field}', ${alias}.${field}`);
  return `json_object(${pairs.join(', ')})`;
}
