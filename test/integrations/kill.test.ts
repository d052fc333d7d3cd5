import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLAIM_MS } from '../../integrations/queue/claims.ts';
import { openFolder } from '../support/accounts/control-databases.ts';
import { until } from '../support/accounts/operator.ts';
import { openIntegrationSubject } from '../support/integrations/integration-subject.ts';
import { usePages } from '../support/integrations/page-server.ts';

const CHILD = join(import.meta.dirname, '../support/integrations/check-child.ts');

test('a process that is killed in the middle of its checks holds them up for no longer than a claim, and each is written once', async () => {
  const url = `sqlite:${join(await openFolder(), 'control.db')}`;
  const subject = await openIntegrationSubject(url, { findUrlProblem: () => undefined });
  const organizationId = await subject.organization();
  const pages = await usePages();
  const sites = Array.from({ length: 6 }, (_, index) => `site-${index}.test/`);
  let underWay = 0;
  for (const site of sites) {
    // Begun, and never ended: whoever is killed dies in the middle of it.
    pages.pages.set(site, () => {
      underWay += 1;
    });
    await subject.declare(organizationId, pages.urlOf(site));
  }
  await subject.database.kysely.updateTable('integrations').set({ due_at: Date.now() }).execute();

  const first = start(url, 0);
  await until(() => underWay === 4);
  first.kill('SIGKILL');
  await once(first, 'exit');
  for (const site of sites) pages.pages.set(site, '<a href="https://stats.example.org/">Data</a>');
  const checked = async () => {
    const rows = await subject.database.kysely.selectFrom('integration_checks').select('integration_id').execute();
    return rows.length;
  };
  const second = start(url, 0);
  await until(async () => (await checked()) === 2); // What nobody had begun.
  await stop(second);
  const third = start(url, CLAIM_MS);
  await until(async () => (await checked()) === 6);
  await stop(third);
  const integrations = await subject.integrations.list(organizationId);
  expect(integrations.map(({ state }) => state)).toEqual(Array(6).fill('verified'));
  const rows = await subject.database.kysely.selectFrom('integration_checks').select('integration_id').execute();
  expect([rows.length, new Set(rows.map((row) => row.integration_id)).size]).toEqual([6, 6]);
  await subject.close();
}, 120_000);

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function start(url: string, aheadMs: number): ChildProcess {
  return fork(CHILD, [url, String(aheadMs)], { execArgv: ['--import', 'tsx'] });
}
