import { expect, test } from 'vitest';
import { isOwnOrigin } from './mcp.ts';

test('with a public URL only its own pages are ours, without one those of this machine', () => {
  const publicUrl = 'https://stats.example.com';
  for (const origin of [undefined, 'https://stats.example.com', 'https://stats.example.com:443']) {
    expect(isOwnOrigin(origin, publicUrl), String(origin)).toBe(true);
  }
  for (const origin of ['http://stats.example.com', 'https://stats.example.com:8443', 'http://localhost', 'null', '']) {
    expect(isOwnOrigin(origin, publicUrl), origin).toBe(false);
  }
  expect([isOwnOrigin('http://localhost:1', undefined), isOwnOrigin('http://stats.example.com', undefined)]).toEqual([
    true,
    false,
  ]);
});
