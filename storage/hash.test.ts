import { expect, test } from 'vitest';
import { bufferBytes } from './hash.ts';

test('a buffer is as large as the file, within bounds', () => {
  expect([0, 5000, 1 << 30].map((bytes) => bufferBytes(bytes, 1 << 20))).toEqual([4096, 5000, 1 << 20]);
});
