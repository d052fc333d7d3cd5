/**
 * `/v1/snapshots` and its download (specification "Snapshots and manifests"). Counts and hashes of the lines are computed; the
 * compressed size, its hash and the time of publication are the store's own (see stored-snapshots.ts).
 */
import { cursorFromSeq } from '../../../schemas/change.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import { ORACLE_VERSION } from '../../night-oracle/columns.ts';
import { pickSome } from '../asking/asking.ts';
import { type ApiState, DATE_TIME_TEXT, type Expected, notFound, TEXT } from '../expected.ts';
import { oneOf } from '../reading.ts';
import type { Asked, Asking } from '../route.ts';

/** Newest first. */
export function snapshotsResponse(state: ApiState): Expected {
  const entries = state.world.nights.map((_, index) => manifestEntry(state, index));
  return { kind: 'body', body: { snapshots: entries.reverse() } };
}

export function downloadResponse({ world, stored }: ApiState, { params, query }: Asked): Expected {
  const dataset = oneOf(query['dataset'], DATASET_NAMES) ?? 'models';
  const night = world.nights.find(({ day }) => day === params['snapshot_id']);
  if (night === undefined) return notFound('snapshot_id');
  return {
    kind: 'download',
    body: { dataset, url: TEXT, expires_at: DATE_TIME_TEXT, ...stored.get(night.day)?.files[dataset] },
    contentSha256: night.contents[dataset].contentSha256,
  };
}

function manifestEntry({ world, stored }: ApiState, index: number): object {
  const night = world.nights[index];
  if (night === undefined) throw new Error(`there is no night ${index}`);
  const { day, dataAsOf, contents, lastSeq, terms } = night;
  const known = stored.get(day);
  return {
    id: day,
    published_at: known?.publishedAt,
    data_as_of: dataAsOf,
    schema_version: ORACLE_VERSION,
    datasets: DATASET_NAMES.map((name) => ({
      name,
      format: 'jsonl.gz',
      records: contents[name].records,
      ...known?.files[name],
      content_bytes: contents[name].contentBytes,
      content_sha256: contents[name].contentSha256,
      ...(terms[name].length === 0 ? {} : { terms: terms[name] }),
    })),
    change_cursor: cursorFromSeq(lastSeq),
    prev_id: world.nights[index - 1]?.day ?? null,
  };
}

export function askSnapshots(asking: Asking): Asked {
  const query = pickSome(asking, { schema_version: [0.3, () => asking.choose.pick(['1', '1.0'])] });
  return { params: {}, query };
}

export function askDownload(asking: Asking): Asked {
  const { choose, interests } = asking;
  const unknown = [...interests.edges, ...interests.gaps, 'latest', '2026-13-01'];
  const snapshot_id = choose.pick(choose.chance(0.2) ? unknown : interests.nights);
  const query = { dataset: choose.pick(DATASET_NAMES), ...askSnapshots(asking).query };
  return { params: { snapshot_id }, query };
}
