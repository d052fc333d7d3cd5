import { cursorFromSeq } from '../../../schemas/change.ts';
import { DATASET_NAMES, ENTITY_TYPES } from '../../../schemas/datasets.ts';
import type { ApiRequest } from '../request.ts';
import { type Asking, pickSome } from './asking.ts';

export function askChanges(asking: Asking): ApiRequest {
  const { choose } = asking;
  const query = pickSome(asking, {
    cursor: [0.9, () => pickCursor(asking)],
    limit: [0.8, () => String(choose.pick([1, 2, 3, 7, 50, 100, 500, 999, 1000]))],
    entity_type: [0.4, () => choose.pick(ENTITY_TYPES)],
  });
  return { route: 'changes', params: {}, query };
}

/** That of a snapshot, any other, and those at the ends of the feed. */
function pickCursor({ choose, state }: Asking): string {
  const { nights, feed } = state.world;
  const head = feed.length;
  const seqs = [choose.pick(nights).lastSeq, choose.pick(nights).lastSeq, choose.integer(0, head)];
  const edges = [0, 1, head - 1, head];
  return cursorFromSeq(choose.pick(choose.chance(0.2) ? edges : seqs));
}

export function askSnapshots(asking: Asking): ApiRequest {
  const query = pickSome(asking, { schema_version: [0.3, () => asking.choose.pick(['1', '1.0'])] });
  return { route: 'snapshots', params: {}, query };
}

export function askDownload(asking: Asking): ApiRequest {
  const { choose, interests } = asking;
  const unknown = [...interests.edges, ...interests.gaps, 'latest', '2026-13-01'];
  const snapshot_id = choose.pick(choose.chance(0.2) ? unknown : interests.nights);
  const query = { dataset: choose.pick(DATASET_NAMES), ...askSnapshots(asking).query };
  return { route: 'download', params: { snapshot_id }, query };
}
