import { expect, test } from 'vitest';
import { bytesFromSize, memoryOfProcess } from './process-memory.ts';

test.each([
  ['1GB', 1e9],
  ['1.5 GiB', 1.5 * 2 ** 30],
  ['512MiB', 512 * 2 ** 20],
  ['4KB', 4000],
])('%s are %d bytes', (size, bytes) => {
  expect(bytesFromSize(size)).toBe(bytes);
});

test.skipIf(process.platform !== 'linux')(
  "a process's memory is what it holds; a process that is gone holds none",
  () => {
    const before = memoryOfProcess(process.pid) ?? 0;
    const held = Buffer.alloc(100_000_000, 1);
    expect((memoryOfProcess(process.pid) ?? 0) - before).toBeGreaterThan(0.9 * held.length);
    expect(memoryOfProcess(2 ** 22)).toBeUndefined();
  },
);
