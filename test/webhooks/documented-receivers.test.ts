/** The receivers in api/guide/pages/webhooks.md, and the delivery to try them with, run as they stand there. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { secretFromBytes, signatureHeaders } from '../../api/webhooks/endpoints/signature.ts';
import { hasPrograms } from '../support/client/example-place.ts';
import { HAS_PYTHON } from '../support/has-python.ts';
import { COMMAND } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const AT = new Date('2026-11-20T12:00:00Z');
const [SECRET, OLD] = [secretFromBytes(new Uint8Array(32).fill(1)), secretFromBytes(new Uint8Array(32).fill(2))];
const BODY =
  '{"id":"evt_1","topic":"score.updated","occurred_at":"2026-11-20T00:10:00Z","data":{"model_id":"müller/ü","seq":7}}';
const headerOf = (body: string, secret: string) =>
  signatureHeaders({ deliveryId: 'dlv_1', body, secret, at: AT })['x-service-signature'] ?? '';

/** What a receiver is given, and whether it has to believe it; a genuine delivery but for what is said. */
const GENUINE = { header: headerOf(BODY, SECRET), body: BODY, after: 0, isGenuine: true };
const FALSE = { ...GENUINE, isGenuine: false };
const CASES = Object.entries({
  'a genuine delivery': GENUINE,
  'one that took four minutes': { ...GENUINE, after: 240 },
  'a changed byte': { ...FALSE, body: BODY.replace('7', '8') },
  'a time six minutes old': { ...FALSE, after: 360 },
  'a time six minutes ahead': { ...FALSE, after: -360 },
  'the secret before the rotation': { ...FALSE, header: headerOf(BODY, OLD) },
  'no header to speak of': { ...FALSE, header: 'none' },
  'a time in digits of another kind': { ...FALSE, header: 't=²,v1=00' },
  'a digest that is no ASCII': { ...FALSE, header: `${GENUINE.header.slice(0, -2)}é` },
  'a short digest': { ...FALSE, header: GENUINE.header.slice(0, -2) },
}).map(([what, one]) => ({ what, ...one, now: AT.getTime() / 1000 + one.after }));

const path = useFolder();
beforeAll(async () => {
  const text = await readFile(join(ROOT, 'api/guide/pages/webhooks.md'), 'utf8');
  for (const [, name = '', code = ''] of text.matchAll(/<!-- example: (\S+) -->\n```\w+\n([\s\S]*?)```/g))
    await writeFile(path(name), code);
  await writeFile(path('cases.json'), JSON.stringify(CASES));
});

const EXPECTED = CASES.map(({ what, isGenuine }) => [what, isGenuine]);

describe('the receiver of api/guide/pages/webhooks.md', () => {
  test('in TypeScript believes what is genuine and nothing else', async () => {
    await writeFile(
      path('run.ts'),
      `import { readFileSync } from 'node:fs';
       import { isGenuine } from './verify.ts';
       const cases = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
       console.log(JSON.stringify(cases.map((c: any) => [c.what, isGenuine(c.header, Buffer.from(c.body), '${SECRET}', c.now)])));`,
    );
    const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
    const found = execFileSync(process.execPath, [tsx, path('run.ts'), path('cases.json')], {
      encoding: 'utf8',
    });
    expect(JSON.parse(found)).toEqual(EXPECTED);
  });

  test.skipIf(!HAS_PYTHON)('in Python believes what is genuine and nothing else', async () => {
    await writeFile(
      path('run.py'),
      `import json, sys
from verify import is_genuine
cases = json.load(open(sys.argv[1]))
print(json.dumps([[c["what"], is_genuine(c["header"], c["body"].encode(), "${SECRET}", c["now"])] for c in cases]))`,
    );
    const found = execFileSync('python3', [path('run.py'), path('cases.json')], { encoding: 'utf8' });
    expect(JSON.parse(found)).toEqual(EXPECTED);
  });
});

test.skipIf(!hasPrograms('curl', 'openssl'))(
  'the delivery that its reader signs is one that `webhooks listen` takes',
  async () => {
    const script = await readFile(path('deliver.sh'), 'utf8');
    const { code } = await withListener(['--secret', 'whsec_test'], (url) => deliver(script, url));
    expect(code).toBe('204');
    const other = await withListener(['--secret', 'whsec_other'], (url) => deliver(script, url));
    expect(other.code).toBe('401');
  },
);

async function deliver(script: string, url: string): Promise<{ readonly code: string }> {
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script.replace('http://127.0.0.1:8000/', url)]);
  return { code: stdout.trim() };
}

/** Runs `modelstats webhooks listen` while `work` sends to it. */
async function withListener<T>(args: readonly string[], work: (url: string) => Promise<T>): Promise<T> {
  const words = [COMMAND, 'webhooks', 'listen', '--json', '--port', '0', '--folder', path('listen'), ...args];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    return await work(JSON.parse(String(line)).url);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}
