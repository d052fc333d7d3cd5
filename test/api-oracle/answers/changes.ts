/** `/v1/changes` (specification "Change feed"). */
import { seqFromCursor } from '../../../schemas/change.ts';
import { ENTITY_TYPES } from '../../../schemas/datasets.ts';
import type { ApiState } from '../api-state.ts';
import type { Expected } from '../expected.ts';
import { QueryReader } from '../query-reader.ts';
import type { ApiRequest } from '../request.ts';
import { firstNight, lastNight } from '../world.ts';

export function answerChanges({ world }: ApiState, { query }: ApiRequest): Expected {
  const headSeq = world.feed.length;
  const reader = new QueryReader(query);
  const limit = reader.integer('limit', { min: 1, max: 1000 }) ?? 1000;
  const entityType = reader.oneOf('entity_type', ENTITY_TYPES);
  const afterSeq = readCursor(reader, query['cursor'], headSeq) ?? 0;
  if (reader.problems.length > 0) return { kind: 'invalid', problems: reader.problems };

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

function readCursor(reader: QueryReader, cursor: string | undefined, headSeq: number): number | undefined {
  if (cursor === undefined) return undefined;
  const seq = seqFromCursor(cursor);
  if (seq === undefined) return reader.problem('cursor', 'cursor_invalid');
  if (seq > headSeq) return reader.problem('cursor', 'cursor_ahead');
  return seq;
}
