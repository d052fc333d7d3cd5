/**
 * The events of the change feed as answers have them: a shape for each type of record and each op, so that a program that knows both
 * knows what `key` and `data` hold. No field is of the type null alone: openapi-fetch would leave it out (decision 0086).
 */
import { z } from 'zod';
import { ChangeSchema, eventKeySchema } from '../../../schemas/change.ts';
import { DATASETS, type Dataset, type EntityType } from '../../../schemas/datasets.ts';
import { ModelSchema, PriceSchema, RankingSchema, ScoreSchema } from '../answers/records.ts';

interface Entity {
  readonly type: EntityType;
  /** What its records are called in the OpenAPI document. */
  readonly name: string;
  readonly dataset: Dataset;
  readonly record: z.ZodObject;
}

const { entity_type: ENTITY_TYPE, op: OP } = ChangeSchema.shape;

/** The two events of a type: a record that is there from now on, and one that is gone. */
function eventSchemas({ type, name, dataset, record }: Entity) {
  const shape = {
    ...ChangeSchema.shape,
    entity_type: z.literal(type).describe(descriptionOf(ENTITY_TYPE)),
    key: eventKeySchema(dataset).meta({
      id: `${name}Key`,
      description: 'The parts of entity_id under their names in the record',
    }),
  };
  const upsert = { ...shape, op: z.literal('upsert').describe(descriptionOf(OP)), data: record };
  const gone = {
    ...shape,
    op: z.literal('delete').describe(descriptionOf(OP)),
    data: record.nullable().describe('Null: the record is gone'),
  };
  return [
    z.looseObject(upsert).meta({ id: `${name}Upsert` }),
    z.looseObject(gone).meta({ id: `${name}Delete` }),
  ] as const;
}

function descriptionOf({ description = '' }: z.ZodType): string {
  return description;
}

/** One numbered event (specification "Change events"). */
export const ChangeEventSchema = z
  .xor([
    ...eventSchemas({ type: 'model', name: 'Model', dataset: DATASETS.models, record: ModelSchema }),
    ...eventSchemas({ type: 'score', name: 'Score', dataset: DATASETS.scores, record: ScoreSchema }),
    ...eventSchemas({ type: 'ranking', name: 'Ranking', dataset: DATASETS.rankings, record: RankingSchema }),
    ...eventSchemas({ type: 'pricing', name: 'Price', dataset: DATASETS.pricing, record: PriceSchema }),
  ])
  .meta({ id: 'ChangeEvent', description: 'By entity_type and op' });
