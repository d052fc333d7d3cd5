import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callCli } from '../support/processes/cli.ts';

test('doctor ends, though what it asked goes on without an end', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const endless = createServer((socket) => {
    const letters = setInterval(() => socket.write('2'), 500);
    socket.write('220 at your service\r\n');
    socket.on('error', () => {}).on('close', () => clearInterval(letters));
  }).listen(0, '127.0.0.1');
  await once(endless, 'listening');
  onTestFinished(() => void endless.close());
  const { port } = endless.address() as AddressInfo; // Of a server that listens.
  const env = { MODELSTATS_SMTP: `smtp://127.0.0.1:${port}` };
  const { code, stdout } = await callCli(['doctor', '--json'], { env, cwd: folder });
  expect(code).toBe(1);
  const { checks } = JSON.parse(stdout);
  expect(checks).toContainEqual(expect.objectContaining({ check: 'mail', result: 'fail' }));
});
