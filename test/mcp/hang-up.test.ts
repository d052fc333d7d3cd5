/** Whoever hangs up in the middle of a call gets nothing, and pays nothing. */
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../support/api/listen.ts';
import { openApi } from '../support/api/open-api.ts';
import { replaceQuota } from '../support/api/test-accounts.ts';
import { sendMessage, toolCall } from '../support/mcp/messages.ts';
import { startStdio } from '../support/mcp/stdio.ts';
import { withMcp } from '../support/mcp/use-mcp.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

/** The API with MCP, whose units are taken and then held, from the given one on, until told. */
async function start({ heldFrom = 1 } = {}) {
  const held: (() => void)[] = [];
  let [taken, released] = [0, 0];
  const api = await openApi({
    days: SAMPLE_DAYS.slice(0, 2),
    faces: withMcp,
    accounts: {
      wrap: (accounts) =>
        replaceQuota(accounts, {
          reserve: async (...given) => {
            const usage = await accounts.quota.reserve(...given);
            taken += 1;
            if (taken >= heldFrom) await new Promise<void>((resolve) => held.push(resolve));
            return usage;
          },
          release: async (...given) => {
            const usage = await accounts.quota.release(...given);
            released += 1;
            return usage;
          },
        }),
    },
  });
  onTestFinished(() => api.close());
  const { builder } = api.accounts.customers;
  return {
    url: await listen(api.app),
    key: builder.key,
    held,
    released: () => released,
    used: async () => (await api.accountOf(builder)).usage.used,
    connections: () => new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count))),
  };
}

const COMPARE = toolCall('compare-models', { ids: ['aurora-2', 'Aurora-2', 'aurora-2-mini'] });

test.each([
  ['a call', toolCall('list-models'), 1],
  [
    'the reading of a list',
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'modelstats://providers' } },
    1,
  ],
  ['a comparison of three, at the second', COMPARE, 2],
  ['a comparison of three, at the third', COMPARE, 3],
])('who hangs up in the middle of %s has every unit back', async (_, message, units) => {
  const { url, key, held, released, used, connections } = await start({ heldFrom: units });
  const hangUp = new AbortController();
  const answer = sendMessage(`${url}/mcp`, message, { key, signal: hangUp.signal });
  await expect.poll(() => held.length).toBe(1);
  expect(await used()).toBe(units);
  hangUp.abort();
  await expect(answer).rejects.toThrow('abort');
  await expect.poll(connections).toBe(0);
  for (const give of held) give();
  await expect.poll(released).toBe(units);
  expect(await used()).toBe(0);
});

test('a call that is called off over standard input has its unit back', async () => {
  const { url, key, held, released, used, connections } = await start();
  const stdio = startStdio({ MODELSTATS_API_URL: url, MODELSTATS_API_KEY: key });
  stdio.send(toolCall('list-models'));
  await expect.poll(() => held.length).toBe(1);
  expect(await used()).toBe(1);
  stdio.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await expect.poll(connections).toBe(0);
  for (const give of held) give();
  await expect.poll(released).toBe(1);
  expect(await used()).toBe(0);
  stdio.endInput();
  expect(await stdio.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
