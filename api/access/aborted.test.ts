import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { listenOnPort } from '../../test/support/api/listen.ts';
import { openApi, type TestApi } from '../../test/support/api/open-api.ts';
import { requestText } from '../../test/support/api/raw-request.ts';
import { bearer, replaceQuota } from '../../test/support/api/test-accounts.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const opened: TestApi[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((api) => api.close()));
});

/** Three of it are more than the system's buffers take of an answer that nobody reads. */
const LARGE = '/docs/reference/static/scalar.js';

/** An API whose units are given out when told to, where `isHeld`; how many were asked for and given back. */
async function start({ isHeld = false } = {}) {
  const held: (() => void)[] = [];
  let [asked, released] = [0, 0];
  const api = await openApi({
    days: SAMPLE_DAYS.slice(0, 2),
    accounts: {
      wrap: (accounts) =>
        replaceQuota(accounts, {
          reserve: async (...given) => {
            asked += 1;
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
  opened.push(api);
  const { builder } = api.accounts.customers;
  return {
    port: await listenOnPort(api.app),
    headers: bearer(builder.key),
    held,
    asked: () => asked,
    released: () => released,
    used: async () => (await api.accountOf(builder)).usage.used,
  };
}

async function send(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(text);
  return socket;
}

test('a client that hangs up before its unit is taken is given the unit back', async () => {
  const { port, headers, held, released, used } = await start({ isHeld: true });
  const socket = await send(port, requestText('/v1/models', headers));
  await expect.poll(() => held.length).toBe(1);
  socket.resetAndDestroy();
  const other = await send(port, requestText('/v1/scores', headers)); // Which comes after the end of the first.
  await expect.poll(() => held.length).toBe(2);
  other.resetAndDestroy();
  await expect.poll(() => closedConnections(socket, other)).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  for (const give of held) give();
  await expect.poll(released).toBe(2);
  expect(await used()).toBe(0);
});

test('a client that hangs up while its key is looked up costs nothing, and counts as aborted', async () => {
  const held: (() => void)[] = [];
  const api = await openApi({
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
  opened.push(api);
  const { organizationId, key, caller } = api.accounts.customers.builder;
  const socket = await send(await listenOnPort(api.app), requestText('/v1/models', bearer(key)));
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

function closedConnections(...sockets: readonly Socket[]): boolean {
  return sockets.every(({ closed }) => closed);
}

test('units of answers that still waited when the client hung up are given back', async () => {
  const { port, headers, asked, released, used } = await start();
  const requests = [LARGE, LARGE, LARGE, '/v1/models', '/v1/scores'].map((target) => requestText(target, headers));
  const socket = await send(port, requests.join(''));
  await expect.poll(asked).toBe(2);
  await expect.poll(used).toBe(2);
  socket.resetAndDestroy();
  await expect.poll(released).toBe(2);
  expect(await used()).toBe(0);
});

test('the unit of an answer that was begun stays', async () => {
  const { port, headers, released, used } = await start();
  const socket = await send(port, requestText('/v1/models', headers));
  socket.resume();
  await once(socket, 'data');
  socket.resetAndDestroy();
  await expect.poll(used).toBe(1);
  expect(released()).toBe(0);
});
