import fastify, { type FastifyReply } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { PUBLIC_REQUESTS } from '../accounts/address-limit.ts';
import type { SurfaceDeps } from '../data/app.ts';
import type { WholeResponse } from '../server/bind-route.ts';
import type { View } from '../view/view.ts';
import { bindPublicRoutes, type PublicSettings } from './public.ts';
import { publicRoute } from './public-route.ts';

test('two answers are made at once, 500 wait for their turn, and further ones are refused', async () => {
  let [made, atOnce, most] = [0, 0, 0];
  const counted: unknown[] = [];
  const begun = Promise.withResolvers<void>();
  const route = publicRoute({
    path: '/thing',
    type: 'text/plain',
    query: z.object({ n: z.string() }),
    response: async ({ query: { n } }) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await begun.promise;
      [made, atOnce] = [made + 1, atOnce - 1];
      return n;
    },
    refuse: ({ message }) => ({ status: 503, body: message }),
  });
  const app = fastify();
  onTestFinished(() => app.close());
  // Only what the binding itself uses of a view and of the answers, which this route doesn't ask.
  const view = { version: 'v', lease: () => () => {} } as unknown as View;
  const deps = {
    answers: undefined,
    views: { current: () => view },
    baseUrlOf: () => '',
    sendWhole: (_: unknown, reply: FastifyReply, { status, headers, body }: WholeResponse) =>
      reply.code(status).headers(headers).send(body),
    limitAddress: async (...call: unknown[]) => void counted.push(call),
    requestsPerMinute: 7,
    cacheBytes: 1 << 20,
    compressFromBytes: 1 << 20,
    isLive: () => true,
    clock: () => new Date(0),
  } as unknown as SurfaceDeps & PublicSettings;
  bindPublicRoutes(app, [route], deps);
  const send = async (n: number) => app.inject(`/thing?n=${n}`);
  const responses = [0, 1].map(send);
  await expect.poll(() => atOnce).toBe(2);
  for (let n = 2; n < 510; n += 1) responses.push(send(n));
  const refused = await Promise.all(responses.slice(502));
  expect(refused.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(503));
  expect(refused[0]?.body).toContain('too many requests are waiting');
  begun.resolve();
  const answered = await Promise.all(responses.slice(0, 502));
  expect(answered.every(({ statusCode, body }, n) => statusCode === 200 && body === String(n))).toBe(true);
  expect([made, most]).toEqual([502, 2]);
  const each = ['127.0.0.1', { what: PUBLIC_REQUESTS, perMinute: 7 }];
  expect(counted, 'each is counted where the service counts').toEqual(Array(510).fill(each));
});
