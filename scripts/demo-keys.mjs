// An organization per plan with a fresh key each, and requests that work with them once the API runs. Part of `make demo`.
//
// Organizations are made once; keys can't be shown twice, so each run issues new ones and revokes those of the last run.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const PLANS = ['community', 'builder', 'commercial'];
const KEY_NAME = 'demo';

/** What `modelstats WORDS… --json` answers. */
function modelstats(...words) {
  return JSON.parse(execFileSync('node', ['dist/bin/modelstats.js', ...words, '--json'], { encoding: 'utf8' }));
}

function freshKey(plan, existing) {
  const name = `Demo ${plan}`;
  const known = existing.find((organization) => organization.name === name);
  const { id } = known ?? modelstats('orgs', 'create', '--name', name, '--plan', plan);
  const old = known === undefined ? [] : modelstats('keys', 'list', '--org', id).keys;
  for (const { id: keyId, name: keyName, revoked_at: revokedAt } of old) {
    if (keyName === KEY_NAME && revokedAt === null) modelstats('keys', 'revoke', keyId);
  }
  return modelstats('keys', 'create', '--org', id, '--name', KEY_NAME).key;
}

/** A model that has a price, where the store is a folder. */
function pricedModel({ store, newest: { day, run } }) {
  const file = join(store.replace(/^file:/, ''), 'releases', `${day}.${run}`, 'snapshot', 'pricing.jsonl.gz');
  if (!existsSync(file)) return 'MODEL_ID';
  const [line = ''] = gunzipSync(readFileSync(file)).toString().split('\n');
  return line === '' ? 'MODEL_ID' : encodeURIComponent(JSON.parse(line).model_id);
}

const { organizations } = modelstats('orgs', 'list');
const issued = PLANS.map((plan) => [plan.toUpperCase(), freshKey(plan, organizations)]);
const status = modelstats('status');
const {
  MODELSTATS_HOST: host = '127.0.0.1',
  MODELSTATS_PORT: port = '8080',
  MODELSTATS_BASE_PATH: base = '',
} = process.env;
const model = pricedModel(status);
const ask = (plan, target, rest = '') => `curl -s -H "Authorization: Bearer $${plan}" "$URL${target}"${rest}`;

console.log(`
An organization per plan, each with a key. They are shown this once; the next run issues new ones and revokes these:

  export URL=http://${host}:${port}${base}
${issued.map(([plan, key]) => `  export ${plan}=${key}`).join('\n')}

Start the API (Ctrl-C ends it), and in another terminal paste the lines above and try:

  node dist/bin/modelstats.js serve

  ${ask('COMMUNITY', '/v1/models?limit=3')}
  ${ask('COMMUNITY', `/v1/models/${model}/history?kind=pricing`)}
  ${ask('BUILDER', '/v1/snapshots')}
  ${ask('BUILDER', `/v1/snapshots/${status.newest.day}/download?dataset=models&redirect=true`, ' -L | gunzip | head -2')}
  ${ask('COMMERCIAL', '/v1/changes?limit=3')}
  ${ask('COMMUNITY', '/v1/changes', '   # 403: not in this plan')}
  ${ask('BUILDER', '/v1/account', ' -i   # plan, usage, and the limit headers')}

The API's description is at $URL/docs.`);
