/** `/v1/changes` (specification "Change feed"). */
import { cursorFromSeq, seqFromCursor } from '../../../schemas/change.ts';
import { ENTITY_TYPES } from '../../../schemas/datasets.ts';
import { pickSome } from '../asking/asking.ts';
import type { ApiState, Expected } from '../expected.ts';
import { numberOf, oneOf } from '../reading.ts';
import type { Asked, Asking } from '../route.ts';
import { firstNight, lastNight } from '../world.ts';

export function changesResponse({ world }: ApiState, { query }: Asked): Expected {
  const headSeq = world.feed.length;
  const limit = numberOf(query, 'limit') ?? 1000;
  const entityType = oneOf(query['entity_type'], ENTITY_TYPES);
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

export function askChanges(asking: Asking): Asked {
  const { choose } = asking;
  const query = pickSome(asking, {
    cursor: [0.9, () => pickCursor(asking)],
    limit: [0.8, () => String(choose.pick([1, 2, 3, 7, 50, 100, 500, 999, 1000]))],
    entity_type: [0.4, () => choose.pick(ENTITY_TYPES)],
  });
  return { params: {}, query };
}

/** That of a snapshot, any other, and those at the ends of the feed. */
function pickCursor({ choose, state }: Asking): string {
  const { nights, feed } = state.world;
  const head = feed.length;
  const seqs = [choose.pick(nights).lastSeq, choose.pick(nights).lastSeq, choose.integer(0, head)];
  const edges = [0, 1, head - 1, head];
  return cursorFromSeq(choose.pick(choose.chance(0.2) ? edges : seqs));
}
