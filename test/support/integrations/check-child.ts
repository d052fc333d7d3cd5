import { setTimeout as wait } from 'node:timers/promises';
import { monotonicFactory } from 'ulid';
import { openDatabase } from '../../../database/open-database.ts';
import { CheckService } from '../../../integrations/check-service.ts';
import { pageLooker } from '../../../integrations/page/look.ts';
import { pageOutbound } from './page-outbound.ts';

/**
 * A process of its own that checks what is due until SIGTERM, for which every name leads to this machine. Words: the control database's
 * address, and by how many milliseconds its clock is ahead.
 */
const [url = '', aheadMs = '0'] = process.argv.slice(2);
const [database, outbound] = [await openDatabase(url), pageOutbound()];
const deps = { outbound, publicUrl: 'https://stats.example.org', toolVersion: 'test' };
const nothing = () => undefined;
const service = new CheckService({
  database: database.kysely,
  clock: () => new Date(Date.now() + Number(aheadMs)),
  newId: monotonicFactory(),
  look: (page, signal) => pageLooker({ ...deps, signal })(page),
  offeredTo: 'everybody',
  cleanup: { at: nothing, close: async () => undefined },
  mailer: { send: async () => undefined, close: nothing },
  sleep: async (ms, signal) => void (await wait(ms, undefined, { signal }).catch(nothing)),
  onEvent: nothing,
  log: { info: nothing, warn: nothing, error: nothing },
});
service.start();
process.once('SIGTERM', async () => {
  await service.stop(1_000);
  await outbound.close();
  await database.close();
  process.disconnect();
});
