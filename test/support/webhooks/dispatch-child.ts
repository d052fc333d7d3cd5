import { plainSender } from './send-plainly.ts';
import { makeDispatcher } from './test-dispatcher.ts';
import { WebhookDatabase } from './webhook-database.ts';

/**
 * A process of its own that delivers what waits until SIGTERM. Words: the control database's address, and by how many
 * milliseconds its clock is ahead.
 */
const [url = '', aheadMs = '0'] = process.argv.slice(2);
const world = await WebhookDatabase.open(url);
const sender = plainSender();
const clock = () => new Date(Date.now() + Number(aheadMs));
const { dispatcher } = makeDispatcher(world, sender.send, { deps: { clock, name: `dsp_${process.pid}` } });
dispatcher.start();
process.once('SIGTERM', async () => {
  await dispatcher.stop();
  await Promise.all([sender.close(), world.close()]);
  process.disconnect();
});
