import { expect, onTestFinished, test } from 'vitest';
import type { CapabilityStates } from '../../api/data/access/rights.ts';
import { ErrorBodySchema } from '../../api/data/api-errors.ts';
import { listen } from '../support/api/listen.ts';
import { openApi } from '../support/api/open-api.ts';
import { connect } from '../support/mcp/clients.ts';
import { LIST_TOOLS, sendMessage, toolCall } from '../support/mcp/messages.ts';
import { withMcp } from '../support/mcp/use-mcp.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

/** The API with some capabilities, and its address. */
async function openWith(capabilities: CapabilityStates) {
  const api = await openApi({
    days: SAMPLE_DAYS,
    accounts: {},
    settings: { capabilities },
    faces: withMcp,
  });
  onTestFinished(() => api.close());
  return { url: await listen(api.app), key: api.accounts.customers.builder.key };
}

test('where MCP is not live for an organization, its path is as unknown as any', async () => {
  const { url, key } = await openWith({ mcp: { pilot: ['another'] } });
  const told = await Promise.all(
    ['/mcp', '/v1/mcp'].map(async (path) => {
      const response = await sendMessage(url + path, LIST_TOOLS, { key });
      const { error } = ErrorBodySchema.parse(await response.json());
      return [response.status, error.code, error.message];
    }),
  );
  expect(told[0]).toEqual([404, 'not_found', 'There is no such route']);
  expect(told[0]).toEqual(told[1]);
});

test('a tool whose route is not live is not listed, and unknown', async () => {
  const { url, key } = await openWith({ history: 'planned' });
  const client = await connect('new', `${url}/mcp`, key);
  const names = (await client.listTools()).map(({ name }) => name);
  expect(names).toContain('list-models');
  expect(names).not.toContain('get-history');
  const call = toolCall('get-history', { model_id: 'aurora-2', kind: 'score' });
  expect(await (await sendMessage(`${url}/mcp`, call, { key })).text()).toContain('There is no such tool');
});
