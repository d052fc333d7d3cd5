import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { API_KEYS } from '../../api/accounts/organizations/token-form.ts';
import { fetchOnce } from '../support/api/listen.ts';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { addUnlimited, temporarySqlite } from './kill.contract.ts';

test('no key, signature or Idempotency-Key is in the log, at its finest level, wherever callers put it', async () => {
  const database = await temporarySqlite();
  const { key, keyId } = await addUnlimited(database);
  const store = await openSampleStore();
  const env = { MODELSTATS_LOG_LEVEL: 'trace' };
  let requests = 0;
  const ask = (...given: Parameters<typeof fetchOnce>) => {
    requests += 1;
    return fetchOnce(...given);
  };
  const serving = await ServingProcess.start({ store: store.folder, database, env });
  const [unknown, malformed, idempotencyKey] = [
    API_KEYS.fromBytes(randomBytes(32)),
    `${key.slice(0, -3)}???`,
    'order-4711-of-alice',
  ];
  try {
    const { url } = serving;
    for (const sent of [key, unknown, malformed]) {
      const encoded = sent.replace('msk', '%6Dsk');
      const [twice, thrice] = [sent.replace('msk_', '%256Dsk%255F'), sent.replace('msk', '%25256Dsk')];
      const targets = [
        '/v1/models',
        `/v1/models?key=${sent}`,
        `/v1/models?q=${encoded}`,
        `/v1/models?${sent}`,
        `/v1/models/${sent}`,
        `/${encoded}?a=b`,
        `/v1/models/${twice}/history?q=${thrice}`,
        `/v1/models/%zz${twice}`,
      ];
      for (const target of targets)
        await ask(url + target, sent, {
          headers: { 'idempotency-key': idempotencyKey, Referer: `http://x.test/?key=${thrice}` },
        });
      for (const name of ['api_key', 'access_token', 'Authorization', 'token'])
        await ask(`${url}/v1/scores?limit=3&${name}=${sent.slice(4)}`, sent);
      await ask(`${url}/v1/models`, sent, { method: 'POST', headers: { 'idempotency-key': 'k'.repeat(129) } });
    }
    const download = await ask(`${url}/v1/snapshots/2026-06-03/download?dataset=models`, key);
    const signed = new URL(JSON.parse(download.body).url);
    expect((await ask(url + signed.pathname + signed.search, key)).status).toBe(200);
    await serving.end('SIGTERM');
    const { log } = serving;
    const answered = log.split('\n').filter((line) => line.includes('"msg":"answered"'));
    // Whether it is ready is asked until it is, by nobody that counts here.
    expect(answered.filter((line) => !line.includes('/health/ready'))).toHaveLength(requests);
    expect(log).toContain('/v1/scores?limit=3&api_key=…');
    for (const sent of [
      key,
      unknown,
      malformed,
      idempotencyKey,
      signed.searchParams.get('signature') ?? '',
      'k'.repeat(129),
    ])
      expect(log).not.toContain(sent.replace('msk_', ''));
    expect(log).not.toContain(keyId.slice(-10));
    expect(log).not.toMatch(/authorization"/i);
  } finally {
    await serving.dispose();
    await store.dispose();
  }
}, 60_000);
