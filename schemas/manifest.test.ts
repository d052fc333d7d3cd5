import { expect, test } from 'vitest';
import { idFromSnapshot, snapshotFromId } from './manifest.ts';

test.each([
  ['2026-11-20', { day: '2026-11-20', noticedMajor: null }],
  ['2026-11-20-v2', { day: '2026-11-20', noticedMajor: 2 }],
  ['2026-11-20-v10', { day: '2026-11-20', noticedMajor: 10 }],
])('%s is an id, and back', (id, name) => {
  expect(snapshotFromId(id)).toEqual(name);
  expect(idFromSnapshot(name)).toBe(id);
});

test.each([
  '',
  '2026-11-31',
  '2026-11-20-v',
  '2026-11-20-v0',
  '2026-11-20-v02',
  '2026-11-20-2',
  '2026-11-20-v2\n',
  '../x',
])('%o is no id of a snapshot', (id) => expect(snapshotFromId(id)).toBeUndefined());
