/** Answers that would be too long for a model: cut, and whole again by what they say. */
import { expect, test } from 'vitest';
import { TOKENS_MAX, tokensOf } from '../../api/mcp/tool-text.ts';
import { pageList } from '../support/api/lists.ts';
import type { TestClient } from '../support/mcp/clients.ts';
import { useMcp } from '../support/mcp/use-mcp.ts';

const BENCHMARKS = Array.from({ length: 700 }, (_, index) => `a-benchmark-with-a-rather-long-name/${1000 + index}`);
const MODELS = ['a', 'b'];
const dayWith = (add: number) => ({
  models: MODELS.map((id) => ({ id, name: id })),
  benchmarks: BENCHMARKS.map((id) => ({ id, name: id })),
  scores: MODELS.flatMap((model_id) =>
    BENCHMARKS.map((benchmark_id, index) => ({ model_id, benchmark_id, value: index + add, source: 'official' })),
  ),
});

const mcp = useMcp(async (store) => {
  await store.publish('2026-06-01', dayWith(0));
  await store.publish('2026-06-02', dayWith(0.5));
});
const { api } = mcp;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A call whose answer is as short as it must be. */
async function callShort(client: TestClient, tool: string, args: Record<string, unknown>) {
  const { text, data, isError } = await client.call(tool, args);
  expect(isError, text).toBe(false);
  expect(tokensOf({ text, body: data })).toBeLessThanOrEqual(TOKENS_MAX);
  return { text, data };
}

test('pages that are cut miss nothing, as their cursor goes on where they end, and cost one unit each', async () => {
  const { client, used } = await mcp.connect({ units: 100 });
  const scores: Rows[number][] = [];
  let pages = 0;
  for (let cursor: unknown = null; pages === 0 || cursor !== null; pages += 1) {
    const { text, data } = await callShort(client, 'list-scores', { limit: 500, cursor });
    scores.push(...(data['scores'] as Rows));
    cursor = data['next_cursor'];
    if (cursor !== null) expect(text).toContain(`call again with cursor "${cursor}"`);
  }
  expect(scores).toEqual(await pageList(api, '/v1/scores?limit=500'));
  expect(pages).toBeGreaterThan(3);
  expect(await used()).toBe(pages);
});

test('the feed is cut at a change, from which the cursor goes on', async () => {
  const { client } = await mcp.connect({ units: 100 });
  const events: unknown[] = [];
  let cursor: unknown = null;
  for (let hasMore = true; hasMore; ) {
    const { text, data } = await callShort(client, 'get-changes', { cursor, limit: 1000 });
    if (events.length === 0) expect(text).toMatch(/changes of this page were left out/);
    events.push(...(data['events'] as Rows).map(({ seq }) => seq));
    cursor = data['next_cursor'];
    hasMore = data['has_more'] === true;
  }
  expect(events).toEqual(events.map((_, index) => index + 1));
  expect(events.length).toBeGreaterThan(BENCHMARKS.length * 4);
});

const ALL_SCORES = { tool: 'get-model', args: { model: 'a' }, path: '/v1/models/a', rows: 'scores' };
const HISTORY = { model: 'a', kind: 'score' };
const ALL_POINTS = { tool: 'get-history', args: HISTORY, path: '/v1/models/a/history?kind=score', rows: 'points' };

test.each([
  {
    ...ALL_SCORES,
    says: (left: number) => new RegExp(`\\b${left} scores were left out.*list-scores with model "a"`, 's'),
  },
  { ...ALL_POINTS, says: () => /points were left out.*call again with from "2026-06-0\d", or narrow it to one series/ },
])('$tool keeps the first $rows, and the text says what gives the others', async ({ tool, args, path, rows, says }) => {
  const { client } = await mcp.connect({ units: 100 });
  const { text, data } = await callShort(client, tool, args);
  const kept = data[rows] as Rows;
  const all = (await api.json(path))[rows] as Rows;
  expect(kept).toEqual(all.slice(0, kept.length));
  expect(kept.length).toBeLessThan(all.length);
  expect(text).toMatch(says(all.length - kept.length));
});

test('a comparison leaves the last benchmarks out, and the text says so', async () => {
  const { client } = await mcp.connect({ units: 100 });
  const { text, data } = await callShort(client, 'compare-models', { models: ['a', 'b'] });
  const kept = data['scores'] as Rows;
  expect(kept.map(({ benchmark_id }) => benchmark_id)).toEqual(BENCHMARKS.slice(0, kept.length));
  expect(kept.length).toBeLessThan(BENCHMARKS.length);
  expect(text).toContain(`${BENCHMARKS.length - kept.length} benchmarks were left out`);
});
