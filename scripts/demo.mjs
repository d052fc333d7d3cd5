// `make demo`: publishes all days of a sample source into the default store, issues a key per plan, and shows what to do with them.
//
//   node scripts/demo.mjs [SOURCE]
//
// Organizations are created once; keys can't be shown again, so each run issues new ones and revokes the previous ones.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

const ROOT = join(import.meta.dirname, '..');
const COMMAND = join(ROOT, 'dist/bin/modelstats.js');
const PLANS = ['community', 'builder', 'commercial'];
const KEY_NAME = 'demo';
/** Owns all three organizations in the console. */
const OWNER = 'demo@example.com';

process.chdir(ROOT);
const [source = 'fixtures/days'] = process.argv.slice(2);

/** The running command. */
let child;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    child?.kill(signal);
    process.exitCode = 1;
  });
}

/** Runs `modelstats ARGS…`; a failure or a signal ends the demo. */
async function modelstats(args, stdout = 'inherit') {
  if (process.exitCode !== undefined) process.exit();
  child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', stdout, 'inherit'] });
  const output = stdout === 'pipe' ? text(child.stdout) : '';
  const [code] = await once(child, 'close');
  if (code !== 0) process.exit(code ?? 1);
  return output;
}

/** Runs `modelstats ARGS… --json` and returns its result. */
async function runJson(...args) {
  return JSON.parse(await modelstats([...args, '--json'], 'pipe'));
}

async function freshKey(plan, existing) {
  const name = `Demo ${plan}`;
  const known = existing.find((organization) => organization.name === name);
  const { id } = known ?? (await runJson('orgs', 'create', '--name', name, '--plan', plan));
  await runJson('members', 'add', id, OWNER, '--role', 'owner');
  const old = known === undefined ? [] : (await runJson('keys', 'list', '--org', id)).keys;
  for (const { id: keyId, name: keyName, revoked_at: revokedAt } of old) {
    if (keyName === KEY_NAME && revokedAt === null) await runJson('keys', 'revoke', keyId);
  }
  return (await runJson('keys', 'create', '--org', id, '--name', KEY_NAME)).key;
}

/** A model with a price, if the store is a folder. */
function pricedModel({ store, newest: { day, run } }) {
  const file = join(store.replace(/^file:/, ''), 'releases', `${day}.${run}`, 'snapshot', 'pricing.jsonl.gz');
  if (!existsSync(file)) return 'MODEL_ID';
  const [line = ''] = gunzipSync(readFileSync(file)).toString().split('\n');
  return line === '' ? 'MODEL_ID' : encodeURIComponent(JSON.parse(line).model_id);
}

console.log(`Publishing the days of ${source}:`);
await modelstats(['nightly', '--source', source, '--all-days']);
console.log();
await modelstats(['status']);

const { organizations } = await runJson('orgs', 'list');
const issued = [];
for (const plan of PLANS) issued.push([plan.toUpperCase(), await freshKey(plan, organizations)]);
const status = await runJson('status');
const {
  MODELSTATS_HOST: host = '127.0.0.1',
  MODELSTATS_PORT: port = '8080',
  MODELSTATS_BASE_PATH: base = '',
} = process.env;
const model = pricedModel(status);
const curl = (plan, target, rest = '') => `curl -s -H "Authorization: Bearer $${plan}" "$URL${target}"${rest}`;

console.log(`
Each day was captured, checked, compared with the day before and published. This puts the command \`modelstats\`${
  existsSync(join(ROOT, '.tools/bin/node')) ? ', and the Node that it needs,' : ''
} on your PATH:

  export PATH="${join(ROOT, '.tools/bin')}:$PATH"

What to try next:

  modelstats verify --all     prove the published files, hash by hash, and replay the feed
  modelstats nightly --help   a night over data of your own
  modelstats --help           all commands
  gunzip -c data/store/releases/*/snapshot/models.jsonl.gz | head -3
  make demo                   again: every day is published already; the keys below are new

An organization per plan, each with a key. They are shown this once; the next run issues new ones and revokes these:

  export URL=http://${host}:${port}${base}
${issued.map(([plan, key]) => `  export ${plan}=${key}`).join('\n')}

Start the API with its console (Ctrl-C ends it), and in another terminal paste the lines above and try:

  modelstats serve --with-console

  ${curl('COMMUNITY', '/v1/models?limit=3')}
  ${curl('COMMUNITY', `/v1/models/${model}/history?kind=pricing`)}
  ${curl('BUILDER', '/v1/snapshots')}
  ${curl('BUILDER', `/v1/snapshots/${status.newest.day}/download?dataset=models&redirect=true`, ' -L | gunzip | head -2')}
  ${curl('COMMERCIAL', '/v1/changes?limit=3')}
  ${curl('COMMUNITY', '/v1/changes', '   # 403: not in this plan')}
  ${curl('BUILDER', '/v1/account', ' -i   # plan, usage, and the limit headers')}

The console is at http://${host}:${port}${base}/console: sign in as ${OWNER}, who owns the three organizations. Its mails are files
in data/mail, and \`modelstats serve\` prints their links.

The API's documentation is at $URL/docs. To try webhooks: docs/operations.md, "Webhooks".`);
