import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../../test/support/temporary-folder.ts';
import { Receiver } from '../../../test/support/webhooks/receiver.ts';
import { until } from '../../../test/support/webhooks/test-dispatcher.ts';
import { WebhookDatabase } from '../../../test/support/webhooks/webhook-database.ts';

const CHILD = join(import.meta.dirname, '../../../test/support/webhooks/dispatch-child.ts');
const KILLS = 10;
const DELIVERIES = 1_500;
/** Each process lives so much later than the one before, when that one's claims have ended. */
const LATER_MS = 120_000;

test('a dispatcher that is killed ten times in the middle skips nothing, and counts every attempt once', async () => {
  const url = `sqlite:${join(await newFolder(), 'control.db')}`;
  const receiver = await Receiver.start(() => 200);
  const world = await WebhookDatabase.open(url);
  const ids = await world.addDeliveries(await world.addEndpoint({ url: receiver.url }), DELIVERIES);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = receiver.received.length;
    const child = start(url, kill);
    await until(() => receiver.received.length >= before + 20 + kill * 7);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const last = start(url, KILLS);
  const distinct = () => new Set(receiver.deliveries).size;
  await until(() => receiver.received.length >= DELIVERIES && distinct() === DELIVERIES);
  last.kill('SIGTERM');
  await once(last, 'exit');
  expect(new Set(receiver.deliveries)).toEqual(new Set(ids));
  expect(await world.states()).toEqual({ delivered: DELIVERIES });
  const attempts = await world.database.kysely.selectFrom('webhook_attempts').select('attempt').execute();
  expect(attempts).toHaveLength(DELIVERIES);
  expect(new Set(attempts.map(({ attempt }) => attempt))).toEqual(new Set([1]));
  // Sent again: only what was under way or not yet written down.
  expect(receiver.received.length - DELIVERIES).toBeLessThan(KILLS * 100);
  await Promise.all([receiver.close(), world.close()]);
}, 180_000);

function start(url: string, round: number): ChildProcess {
  return fork(CHILD, [url, String(round * LATER_MS)], { execArgv: ['--import', 'tsx'] });
}
