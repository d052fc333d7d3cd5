import { once } from 'node:events';
import { expect, test } from 'vitest';
import { requestText, sendUnread } from '../../../test/support/api/raw-request.ts';
import { bearer, replaceQuota } from '../../../test/support/api/test-accounts.ts';
import { openOwnApi } from '../../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../../test/support/pipeline/sample-store.ts';

/** Three of it are more than the system's buffers take of an answer that nobody reads. */
const LARGE = '/docs/reference/static/scalar.js';

/** An API that counts reserved and released units; with `isHeld`, reservations wait for `held`. */
async function start({ isHeld = false } = {}) {
  const held: (() => void)[] = [];
  let [reserved, released] = [0, 0];
  const api = await openOwnApi({
    days: SAMPLE_DAYS.slice(0, 2),
    accounts: {
      wrap: (accounts) =>
        replaceQuota(accounts, {
          reserve: async (...given) => {
            reserved += 1;
            if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
            return accounts.quota.reserve(...given);
          },
          release: async (...given) => {
            const usage = await accounts.quota.release(...given);
            released += 1;
            return usage;
          },
        }),
    },
  });
  const { builder } = api.accounts.customers;
  return {
    port: await api.port(),
    headers: bearer(builder.key),
    held,
    reserved: () => reserved,
    released: () => released,
    used: async () => (await api.accountOf(builder)).usage.used,
  };
}

test('a client that hangs up before its unit is taken is given the unit back', async () => {
  const { port, headers, held, released, used } = await start({ isHeld: true });
  const socket = await sendUnread(port, requestText('/v1/models', headers));
  await expect.poll(() => held.length).toBe(1);
  socket.resetAndDestroy();
  const other = await sendUnread(port, requestText('/v1/scores', headers)); // Which comes after the end of the first.
  await expect.poll(() => held.length).toBe(2);
  other.resetAndDestroy();
  await expect.poll(() => socket.closed && other.closed).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  for (const give of held) give();
  await expect.poll(released).toBe(2);
  expect(await used()).toBe(0);
});

test('a client that hangs up while its key is looked up costs nothing, and counts as aborted', async () => {
  const held: (() => void)[] = [];
  const api = await openOwnApi({
    days: SAMPLE_DAYS.slice(0, 1),
    accounts: {
      wrap: (accounts) => {
        const authenticate: typeof accounts.authenticate = async (token) => {
          await new Promise<void>((resolve) => held.push(resolve));
          return accounts.authenticate(token);
        };
        return Object.create(accounts, { authenticate: { value: authenticate } });
      },
    },
  });
  const { organizationId, key, caller } = api.accounts.customers.builder;
  const socket = await sendUnread(await api.port(), requestText('/v1/models', bearer(key)));
  await expect.poll(() => held.length).toBe(1);
  socket.resetAndDestroy();
  const sockets = () => new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count)));
  await expect.poll(sockets).toBe(0);
  for (const look of held) look();
  const { accounts: real } = api.accounts;
  const range = { from: '2026-06-30', to: '2026-06-30' };
  await expect
    .poll(async () => (await real.readUsage(organizationId, range)).total)
    .toMatchObject({ requests: 1, aborted: 1, units: 0 });
  expect(await real.quota.usage(await caller())).toMatchObject({ used: 0 });
});

test('units of answers that still waited when the client hung up are given back', async () => {
  const { port, headers, reserved, released, used } = await start();
  const requests = [LARGE, LARGE, LARGE, '/v1/models', '/v1/scores'].map((target) => requestText(target, headers));
  const socket = await sendUnread(port, requests.join(''));
  await expect.poll(reserved).toBe(2);
  await expect.poll(used).toBe(2);
  socket.resetAndDestroy();
  await expect.poll(released).toBe(2);
  expect(await used()).toBe(0);
});

test('the unit of an answer that was begun stays', async () => {
  const { port, headers, released, used } = await start();
  const socket = await sendUnread(port, requestText('/v1/models', headers));
  socket.resume();
  await once(socket, 'data');
  socket.resetAndDestroy();
  await expect.poll(used).toBe(1);
  expect(released()).toBe(0);
});
