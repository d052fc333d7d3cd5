/** What the service does not offer is not missed on the pages that stand without it (specification "Console"). */
import { expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import { MODEL } from '../support/pipeline/sample-store.ts';

const console = useConsole({
  capabilities: {
    history: 'planned',
    changes: 'planned',
    attribution: 'planned',
    webhooks: 'planned',
    embeds: 'planned',
  },
});

test.each([
  [`models/${encodeURIComponent(MODEL)}`, 'Prices now'],
  ['rankings', 'Ranking'],
  ['changes', 'This service does not offer that'],
])('data/%s is there without history and changes', async (path, shown) => {
  const { org, ada } = await console.own();
  const { statusCode, body } = await ada.get(`/console/orgs/${org}/data/${path}`);
  expect([statusCode, body.includes(shown)]).toEqual([200, true]);
});

test('what is not offered stands in no navigation, and its pages are not there', async () => {
  const { org, ada } = await console.own();
  const { body } = await ada.get(`/console/orgs/${org}`);
  const [navigation = ''] = /<nav class="pages"[\s\S]*?<\/nav>/.exec(body) ?? [];
  expect(navigation).toContain('Connections');
  expect(navigation).not.toMatch(/Integrations|Webhooks/);
  for (const path of ['integrations', 'integrations/int_1'])
    expect((await ada.get(`/console/orgs/${org}/${path}`)).statusCode).toBe(404);
});
