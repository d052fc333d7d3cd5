import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { describeConditions } from '../../test/support/storage/contract-conditions.ts';
import { openFileStore } from '../../test/support/storage/contract-support.ts';
import { describeObjectStore } from '../object-store.contract.ts';

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
  // A link is what creates an object if there is none; all else is as on other file systems.
  describeObjectStore('FileStore on a file system without hard links', openFileStore, [describeConditions]);
});
