import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from './file-store.ts';
import { describeObjectStore } from './object-store.contract.ts';

describeObjectStore('FileStore', async () => {
  const root = await mkdtemp(join(tmpdir(), 'modelstats-store-'));
  return {
    store: new FileStore(root),
    anotherHandle: () => new FileStore(root),
    close: () => rm(root, { recursive: true }),
  };
});
