import { once } from 'node:events';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { heard, isResponse, StoreProcesses } from '../../test/support/storage/file-store-processes.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { FileStore } from './file-store.ts';

const root = useFolder({ perTest: true });
const processes = new StoreProcesses();

afterEach(async () => {
  processes.kill();
});

describe('between processes', () => {
  test('of 6 processes that replace the same version at once exactly one wins', async () => {
    const store = new FileStore(root());
    await store.put('race', Buffer.from('start'));
    const racers = Array.from({ length: 6 }, (_, index) =>
      processes.start(root(), 'replace', 'race', `racer ${index}`),
    );
    await Promise.all(racers.map((racer) => heard(racer, 'ready')));
    for (let round = 0; round < 20; round += 1) {
      const etag = (await store.head('race'))?.etag;
      for (const racer of racers) racer.send({ etag });
      const answers = await Promise.all(racers.map((racer) => heard(racer, 'result', 'code')));
      const winners = answers.flatMap((response, index) =>
        response['result'] === undefined ? [] : [`racer ${index}`],
      );
      expect(winners).toHaveLength(1);
      expect(answers.filter((response) => response['code'] === 'precondition_failed')).toHaveLength(5);
      expect((await store.get('race'))?.body.toString()).toBe(winners[0]);
    }
  }, 60_000);

  test('kill -9 at random moments loses no acknowledged step, leaves whole objects, and no lock behind', async () => {
    const store = new FileStore(root(), { lockTimeoutMs: 1000 });
    await store.put('counter', Buffer.from('0\n'));
    let acknowledged = 0;
    const kills = 12;
    const killOne = async (name: string) => {
      const child = processes.start(root(), 'count', name);
      child.on('message', (message) => {
        if (isResponse(message) && message['counted'] !== undefined) acknowledged += 1;
      });
      await heard(child, 'counted');
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
      child.kill('SIGKILL');
      await once(child, 'close');
    };
    const row = async (name: string) => {
      for (let kill = 0; kill < kills / 3; kill += 1) await killOne(`${name}${kill}`);
    };
    await Promise.all(['a', 'b', 'c'].map(row));

    const counter = await store.get('counter');
    const counted = Number.parseInt(counter?.body.toString() ?? '', 10);
    expect(counted).toBeGreaterThanOrEqual(acknowledged);
    expect(counted).toBeLessThanOrEqual(acknowledged + kills);
    for await (const { key } of store.list('')) expect(isWhole((await store.get(key))?.body), key).toBe(true);
    await store.put('counter', Buffer.from('after'), { ifMatch: counter?.etag ?? '' });
    expect((await readdir(root())).filter((name) => name.startsWith('.'))).toEqual(['.lock', '.tmp']);
    expect((await stat(root('.lock'))).size).toBe(0);
  }, 60_000);

  test('the lock of a stopped process is respected, with a clear error, and is free the moment it is killed', async () => {
    const store = new FileStore(root(), { lockTimeoutMs: 50 });
    const { etag } = await store.put('held', Buffer.from('before'));
    const holder = processes.start(root(), 'hold');
    await heard(holder, 'held');
    holder.kill('SIGSTOP');
    await expect(store.put('held', Buffer.from('x'), { ifMatch: etag })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/^cannot write held in the store .*another process has held the lock for 50 ms/),
    });
    await store.put('new-keys-need-no-lock', Buffer.from('x'), { ifAbsent: true });
    holder.kill('SIGKILL');
    await once(holder, 'close');
    await store.put('held', Buffer.from('after'), { ifMatch: etag });
  });

  test('left-over files of killed writers go after a day, those of running ones stay', async () => {
    const temporary = root('.tmp');
    await mkdir(temporary);
    const now = new Date('2026-01-02T12:00:00Z');
    for (const [name, hours] of [
      ['old', 25],
      ['young', 23],
    ] as const) {
      await writeFile(join(temporary, name), 'x');
      const time = new Date(now.getTime() - hours * 3_600_000);
      await utimes(join(temporary, name), time, time);
    }
    await new FileStore(root(), { clock: () => now }).put('any', Buffer.from('x'));
    expect(await readdir(temporary)).toEqual(['young']);
  });
});

function isWhole(body: Buffer | undefined): boolean {
  const lines = body?.toString().trim().split('\n') ?? [];
  return lines.length === 20_000 && new Set(lines).size === 1;
}
