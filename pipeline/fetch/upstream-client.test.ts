import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { UpstreamServer } from '../../test/support/fetch/upstream-server.ts';
import { UpstreamClient } from './upstream-client.ts';

test('a server that closes the connection after the body ends nothing but that, however slowly it is read', async () => {
  const server = await UpstreamServer.start();
  const client = new UpstreamClient({ allow: [], userAgent: 'test/1' });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const body = Buffer.alloc(64 * 1024, 'x');
  server.serve('/old.json', body);
  server.breakForGood('/old.json', (response, file) => {
    response.socket?.end(
      Buffer.concat([Buffer.from(`HTTP/1.0 200 OK\r\ncontent-length: ${file.length}\r\n\r\n`), file]),
    );
  });
  const url = new URL(`${server.url}/old.json`);
  const answer = await client.get({ url, headers: {}, secretHeaders: {}, timeoutMs: 10_000 });
  await sleep(300); // Long after its end has come.
  let bytes = 0;
  for await (const chunk of answer.body) bytes += chunk.length;
  expect(bytes).toBe(body.length);
});
