import { expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { createKey } from '../../../api/accounts/organizations/keys.ts';
import { changePlan } from '../../../api/accounts/organizations/organizations.ts';
import { listConnections } from '../../../api/accounts/people/connections.ts';
import { useConsole } from '../../support/console/use-console.ts';
import { callWith, openProgram } from '../../support/mcp/oauth-program.ts';

const console = useConsole();

test('a quota of 10 is shared by a key, a key over MCP and a connection: exactly 10 answers', async () => {
  const { org, visitor, program } = await openProgram(console);
  const changes = console.accounts.as(SYSTEM);
  const contract = { daily_quota: 10, burst_per_minute: 10_000 };
  await changePlan(org, (before) => ({ ...before, contract }), changes);
  const { key } = await createKey({ organizationId: org, name: 'test', expiresAt: null }, changes);
  const { access_token: token } = await program.connect(visitor, org);
  const overHttp = async () => {
    const answer = await console.api.app.inject({ url: '/v1/models', headers: { authorization: `Bearer ${key}` } });
    return answer.statusCode === 200;
  };
  const overMcp = async (credential: string) => {
    const answer = await callWith(console, credential, { name: 'list-models', arguments: { limit: 1 } });
    return answer.statusCode === 200 && !answer.body.includes('"isError":true');
  };
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => [overHttp(), overMcp(key), overMcp(token)]).flat(),
  );
  expect(answers.filter(Boolean)).toHaveLength(10);
  const used = await callWith(console, token);
  expect(used.body).toContain('"used":10');
  const report = await console.accounts.readUsage(org, { from: '2026-06-03', to: '2026-06-03' });
  const [connection] = await listConnections(org, console.people.as(SYSTEM));
  expect(report.keys).toContainEqual(expect.objectContaining({ key_id: connection?.id, key_name: 'Agent of Acme' }));
  expect(report.client_sources.map(({ client_source }) => client_source).sort()).toEqual([
    'api_key',
    'mcp_api_key',
    'mcp_oauth',
  ]);
});
