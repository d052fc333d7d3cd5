/** Events of a dataset that has no change feed: in place of scores, a topic reports benchmarks with another name. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { newFolder } from '../../../test/support/temporary-folder.ts';
import { dyingDatabase } from '../../../test/support/webhooks/dying-database.ts';
import { openPublisher } from '../../../test/support/webhooks/publisher.ts';
import { addSubscriber, readTold } from '../../../test/support/webhooks/subscribers.ts';
import type { ControlDatabase } from '../../database/control-database.ts';
import { openDatabase } from '../../database/open-database.ts';
import { SCORE_UPDATED } from '../topics/score-updated.ts';
import { changeTopic, Seq } from '../topics/topic.ts';

const RENAMED = changeTopic({
  name: 'score.updated',
  sentWhen: 'a benchmark is added, renamed or removed',
  data: z.strictObject({ model_id: z.string(), benchmark_id: z.string(), seq: Seq }),
  dataset: 'benchmarks',
  compared: ['name'],
  select: ({ changes }) => `SELECT c.seq, c.op AS model_id, c.id AS part, NULL::VARCHAR AS facts FROM (${changes}) c`,
  contentFromRow: ({ seq, model_id, part }) => ({ data: { model_id, benchmark_id: part, seq } }),
});
const ORIGINAL = { ...SCORE_UPDATED };

let store: TemporaryStore;
let control: ControlDatabase;
beforeEach(async () => {
  Object.assign(SCORE_UPDATED, RENAMED);
  store = await openTemporaryStore();
  control = await openDatabase(`sqlite:${join(await newFolder(), 'accounts.db')}`);
});
afterEach(async () => {
  Object.assign(SCORE_UPDATED, ORIGINAL); // Other files share the process.
  await control.close();
  await store.dispose();
});

const models = [{ id: 'm', name: 'M' }];
const benchmarks = (names: Readonly<Record<string, string>>, more: object = {}) =>
  Object.entries(names).map(([id, name]) => ({ id, name, ...more }));
const event = (op: string, id: string, seq: number) => ({
  topic: 'score.updated',
  data: { model_id: op, benchmark_id: id, seq },
});

/** Three nights; only the benchmarks change, so that the feed has nothing but the model of the first. */
async function publishNights(): Promise<void> {
  await store.publish('2026-06-01', { models, benchmarks: benchmarks({ gone: 'G', renamed: 'R', same: 'S' }) });
  await store.publish('2026-06-02', { models, benchmarks: benchmarks({ new: 'N', renamed: 'other', same: 'S' }) });
  await store.publish('2026-06-03', {
    models,
    benchmarks: benchmarks({ new: 'N', renamed: 'R', same: 'S' }, { category: 'c' }),
  });
}

const TOLD = [
  event('delete', 'gone', 1),
  event('upsert', 'new', 1),
  event('upsert', 'renamed', 1),
  event('upsert', 'renamed', 1),
];

const receivedBy = async (endpoint: string) =>
  (await readTold(control))
    .filter((received) => received.endpoint === endpoint)
    .map(({ topic, data }) => ({ topic, data }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

test('a record that was added, was removed or differs in a compared column is an event, also in a night without a change of the feed', async () => {
  await publishNights();
  await addSubscriber(control, 'all', { topics: ['score.updated'] });
  await addSubscriber(control, 'few', { topics: ['score.updated'], filters: { benchmarks: ['new'] } });
  await addSubscriber(control, 'digest', { topics: ['score.updated'], mode: 'digest' });
  expect(await openPublisher(store, control).publisher.poll()).toBe('published');
  expect(await receivedBy('all')).toEqual(TOLD);
  expect(await receivedBy('few')).toEqual(TOLD.slice(1, 2));
  expect(await receivedBy('digest')).toMatchObject([
    { data: { first_seq: 1, seq: 1, count: 1 } },
    { data: { first_seq: 1, seq: 1, count: 3, items: TOLD.slice(0, 3).map(({ data }) => data) } },
  ]);
  expect(await openPublisher(store, control).publisher.poll()).toBe('idle');
});

test.each(['before the commit', 'after the commit'] as const)(
  'killed %s of any transaction, each is written once',
  async (moment) => {
    await publishNights();
    await addSubscriber(control, 'all', { topics: ['score.updated', 'snapshot.published'] });
    for (let kills = 0; kills < 20; kills += 1) {
      const clock = () => new Date(Date.parse('2026-06-10T12:00:00Z') + kills * 120_000);
      const dying = dyingDatabase(control, { after: 1 + (kills % 3), moment });
      await openPublisher(store, dying, { clock })
        .publisher.poll()
        .catch(() => undefined);
    }
    expect((await receivedBy('all')).filter(({ topic }) => topic === 'score.updated')).toEqual(TOLD);
  },
);
