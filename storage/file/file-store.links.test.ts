import fs, { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { describeConditions } from '../../test/support/storage/contract-conditions.ts';
import { describeObjectStore } from '../object-store.contract.ts';
import { FileStore } from './file-store.ts';

const link = vi.spyOn(fs, 'link');

/** As on exFAT, SMB and some FUSE file systems; for as long as this file's tests run, since others share its process. */
beforeAll(() => {
  link.mockRejectedValue(Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' }));
  syncBuiltinESMExports();
});
afterAll(() => {
  expect(link).toHaveBeenCalled();
  link.mockRestore();
  syncBuiltinESMExports();
});

describe('a folder without hard links', () => {
  const open = async () => {
    const root = await mkdtemp(join(tmpdir(), 'modelstats-store-'));
    return {
      store: new FileStore(root),
      anotherHandle: () => new FileStore(root),
      close: () => rm(root, { recursive: true }),
    };
  };
  // A link is what creates an object if there is none; all else is as on other file systems.
  describeObjectStore('FileStore on a file system without hard links', open, [describeConditions]);
});
