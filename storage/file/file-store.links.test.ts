import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { describeObjectStore } from '../object-store.contract.ts';
import { FileStore } from './file-store.ts';

// As on exFAT, SMB and some FUSE file systems.
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  link: () => Promise.reject(Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })),
}));

describeObjectStore('FileStore on a file system without hard links', async () => {
  const root = await mkdtemp(join(tmpdir(), 'modelstats-store-'));
  return {
    store: new FileStore(root),
    anotherHandle: () => new FileStore(root),
    close: () => rm(root, { recursive: true }),
  };
});
