import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorFromSeq } from '../../schemas/change.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

const api = useApi({ days: SAMPLE_DAYS.slice(0, 2), now: '2026-06-03T12:00:00Z' });

async function problemType(url: string): Promise<string> {
  const response = await api.get(url);
  return response.statusCode === 422 ? response.json().detail[0].type : String(response.statusCode);
}

const encoded = (text: string) => Buffer.from(text, 'utf8').toString('base64url');

test.each([
  ['', 'string_too_short'],
  ['MA==', 'cursor_invalid'],
  ['%20MA', 'cursor_invalid'],
  ['0', 'cursor_invalid'],
  [encoded('-1'), 'cursor_invalid'],
  [encoded('1.5'), 'cursor_invalid'],
  [encoded('1e3'), 'cursor_invalid'],
  [encoded('0x1'), 'cursor_invalid'],
  [encoded('01'), 'cursor_invalid'],
  [encoded(' 1'), 'cursor_invalid'],
  [encoded('9'.repeat(16)), 'cursor_invalid'],
  [encoded('Infinity'), 'cursor_invalid'],
  ['A'.repeat(41), 'string_too_long'],
  [encoded('999999999'), 'cursor_ahead'],
  [encoded('0'), '200'],
])('the feed cursor «%s»: %s', async (cursor, type) => {
  expect(await problemType(`/v1/changes?cursor=${cursor}`)).toBe(type);
});

test('the feed cursor at its end is answered, the one behind it is ahead', async () => {
  const { next_cursor: end } = await api.json('/v1/changes');
  expect(await problemType(`/v1/changes?cursor=${String(end)}`)).toBe('200');
  const seq = Number(Buffer.from(String(end), 'base64url').toString());
  expect(await problemType(`/v1/changes?cursor=${cursorFromSeq(seq + 1)}`)).toBe('cursor_ahead');
});

test('a list cursor is good for its list, filters and order, and for no other', async () => {
  const { next_cursor: cursor } = await api.json('/v1/models?limit=2&sort=-name');
  const others = ['/v1/models?', '/v1/models?sort=name', '/v1/models?sort=-name&q=a', '/v1/benchmarks?', '/v1/scores?'];
  for (const url of others) expect(await problemType(`${url}&cursor=${String(cursor)}`)).toBe('cursor_invalid');
  expect(await problemType(`/v1/models?sort=-name&limit=7&cursor=${String(cursor)}`)).toBe('200');
});

test('text that is no cursor is refused, whatever it decodes to', async () => {
  const { next_cursor: cursor } = await api.json('/v1/models?limit=1');
  const hash = Buffer.from(String(cursor), 'base64url').toString().slice(0, 8);
  for (const place of ['', '[', 'null', '[]', '[1]', '["a","b"]', '{}'])
    expect(await problemType(`/v1/models?cursor=${encoded(hash + place)}`), place).toBe('cursor_invalid');
});

test.each([
  ['/v1/models?limit=2', 'a607aa8c["@edge/quill/q7:free"]'],
  ['/v1/models?limit=2&sort=-name', 'f5b2f65b["Tern Small","tern-small"]'],
  ['/v1/scores?limit=1&sort=-measured_at&min_value=0', 'd56fdac7["2026-06-02","aurora-2","reason-bench"]'],
  ['/v1/scores?limit=1&sort=-value', '1ffbfece["1243.0","aurora-2","code-arena"]'],
])('the cursor of %s stays as it is from one version of the service to the next', async (url, expected) => {
  const { next_cursor: cursor } = await api.json(url);
  expect(Buffer.from(String(cursor), 'base64url').toString()).toBe(expected);
});

test.each([
  ['/v1/models', '/v1/models?limit=1'],
  ['/v1/models by date', '/v1/models?limit=1&sort=-release_date'],
  ['/v1/models by number', '/v1/models?limit=1&sort=context_length'],
  ['/v1/models by time', '/v1/models?limit=1&sort=updated_at'],
  ['/v1/scores', '/v1/scores?limit=1'],
  ['/v1/scores by value', '/v1/scores?limit=1&sort=-value'],
  ['/v1/rankings', '/v1/rankings?limit=1&category=CATEGORY'],
])('%s: a forged position gives a page or is refused, never a fault', async (_, template) => {
  const [category] = (await api.json('/v1/categories'))['categories'] as { id: string }[];
  const url = template.replace('CATEGORY', category?.id ?? '');
  const { next_cursor: cursor } = await api.json(url);
  const hash = Buffer.from(String(cursor), 'base64url').toString().slice(0, 8);
  const part = fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('NaN', 'infinity', '-1e999', '9'.repeat(40), '2026-02-31', "' OR 1=1 --", '$1', '\0', '\ud800'),
    fc.anything(),
  );
  const positions = fc.oneof(
    fc.array(part, { maxLength: 4 }).map((parts) => JSON.stringify(parts)),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(positions, async (position) => {
      const response = await api.get(`${url}&cursor=${encoded(hash + position)}`);
      expect([200, 422]).toContain(response.statusCode);
    }),
    { numRuns: 60 },
  );
});
