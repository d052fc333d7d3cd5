import { writeFile } from 'node:fs/promises';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { useFolder } from '../test/support/temporary-folder.ts';
import { FileStore } from './file/file-store.ts';
import { gzipLines } from './gzip-lines.ts';
import { bufferBytes, hashFile, hashStream, readGzip } from './hash.ts';

const LINES = '{"id":"a"}\n'.repeat(50);
const path = useFolder();
let store: FileStore;

beforeAll(async () => {
  store = new FileStore(path('store'));
  await writeFile(path('lines'), LINES);
  await writeFile(path('lines.gz'), gzipSync(LINES));
  await store.put('object', Buffer.from(LINES));
});

/** Node's types leave open what a collection tells. */
function kindOf(entry: object): unknown {
  return 'detail' in entry && typeof entry.detail === 'object' && Reflect.get(entry.detail ?? {}, 'kind');
}

/** How often the garbage collector goes through the whole heap meanwhile. */
async function fullCollectionsDuring(work: () => Promise<void>): Promise<number> {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    count += list.getEntries().filter((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR).length;
  });
  observer.observe({ entryTypes: ['gc'] });
  await work();
  await turn();
  observer.disconnect();
  return count;
}

test.each<[string, (index: number) => Promise<unknown>]>([
  ['hashing', () => hashFile(path('lines'))],
  ['unpacking', () => hashStream(readGzip(path('lines.gz')))],
  ['packing', (index) => gzipLines(path('lines'), path(`packed-${index}.gz`))],
  ['fetching', async () => hashStream(await store.stream('object'))],
  ['storing', (index) => store.putFile(`copy-${index}`, path('lines'))],
])('%s many small files does not keep the garbage collector busy', async (_, work) => {
  const count = await fullCollectionsDuring(async () => {
    for (let index = 0; index < 200; index += 1) await work(index);
  });
  expect(count).toBeLessThan(3);
});

test('a buffer is as large as the file, within bounds', () => {
  expect([0, 5000, 1 << 30].map((bytes) => bufferBytes(bytes, 1 << 20))).toEqual([4096, 5000, 1 << 20]);
});
