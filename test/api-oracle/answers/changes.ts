/** `/v1/changes` (specification "Change feed"). */
import { seqFromCursor } from '../../../schemas/change.ts';
import { ENTITY_TYPES } from '../../../schemas/datasets.ts';
import type { ApiState, Expected } from '../expected.ts';
import { QueryReader } from '../query-reader.ts';
import type { ApiRequest } from '../request.ts';
import { firstNight, lastNight } from '../world.ts';

export function answerChanges({ world }: ApiState, { query }: ApiRequest): Expected {
  const headSeq = world.feed.length;
  const reader = new QueryReader(query);
  const limit = reader.number('limit') ?? 1000;
  const entityType = reader.oneOf('entity_type', ENTITY_TYPES);
  const afterSeq = seqFromCursor(query['cursor'] ?? '') ?? 0;

  const events = world.feed.slice(afterSeq);
  return {
    kind: 'feed',
    events: entityType === undefined ? events : events.filter(({ entity_type }) => entity_type === entityType),
    afterSeq,
    headSeq,
    limit,
    isFiltered: entityType !== undefined,
    retainedFrom: firstNight(world).day,
    publishedThrough: lastNight(world).day,
  };
}
