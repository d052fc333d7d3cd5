/** What upstreams call a model, on its page and in the search of the console. */
import { beforeAll, expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import type { Visitor } from '../support/console/visitor.ts';
import { withNames } from '../support/pipeline/named-models.ts';
import { MODEL } from '../support/pipeline/sample-store.ts';

const console = useConsole({ now: '2026-06-05T12:00:00Z' });
let owner: Visitor;
let data: string;

beforeAll(async () => {
  const names = withNames(`shop,acme/<b>Turbo,${MODEL}`, `board,acme/<b>Turbo,${MODEL}`, `board,${MODEL},${MODEL}`);
  await console.api.store.publish('2026-06-04', { models: [{ id: MODEL, name: 'Aurora 2' }] }, names);
  await console.api.follower.refresh();
  data = `/console/orgs/${await console.organization({ 'ada@example.com': 'owner' })}/data`;
  owner = await console.signIn('ada@example.com');
});

test('a model is found by them', async () => {
  const { body } = await owner.get(`${data}/models?q=turbo`);
  expect(body).toContain(`/data/models/${MODEL}"`);
  expect((await owner.get(`${data}/models?q=turbos`)).body).not.toContain(`/data/models/${MODEL}"`);
});

test('its page tells each once, as text, and not its own id', async () => {
  const { body } = await owner.get(`${data}/models/${MODEL}`);
  const [, shown = ''] = /Also called<\/dt>\s*<dd>(.*?)<\/dd>/s.exec(body) ?? [];
  expect(shown.replaceAll(/<[^>]*>/g, '')).toMatch(/^acme\/&lt;b(?:>|&gt;)Turbo$/);
});
