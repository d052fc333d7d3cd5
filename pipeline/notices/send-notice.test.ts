import { chmod, readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NoticeReceiver } from '../../test/support/notices/notice-receiver.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { type Notice, noticeFrom } from './notice.ts';
import { parseTarget, type SendDeps, sendNotice, shownTarget } from './send-notice.ts';

const NOTICE: Notice = noticeFrom('file:/store', {
  kind: 'held',
  day: '2026-11-20',
  at: new Date('2026-11-20T00:06:00Z'),
  reasons: ['$(touch pwned); `id`'],
  nextCommand: 'modelstats nightly --accept',
});

const folder = useFolder({ perTest: true });
let receiver: NoticeReceiver;
let waits: number[];
beforeEach(async () => {
  receiver = await NoticeReceiver.start();
  waits = [];
});
afterEach(async () => {
  await receiver.close();
});

function send(text: string, deps: Partial<SendDeps> = {}) {
  const target = parseTarget(text);
  if (target === undefined) throw new Error(`${text} is no target`);
  return sendNotice(target, NOTICE, {
    environment: { PATH: process.env['PATH'] },
    userAgent: 'modelstats/1',
    timeoutMs: 2_000,
    sendMail: () => Promise.reject(new Error('there is no mail')),
    sleep: async (ms) => void waits.push(ms),
    ...deps,
  });
}

async function script(text: string): Promise<string> {
  const path = folder('page');
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

test('an address gets the notice as JSON, with the credentials of the URL as a header', async () => {
  expect(await send(`http://ops:p%40ss@${receiver.host}/night?x=1`)).toEqual({ tries: 1, problem: undefined });
  expect(receiver.notices).toEqual([NOTICE]);
  const authorization = `Basic ${Buffer.from('ops:p@ss').toString('base64')}`;
  const headers = { 'content-type': 'application/json', 'user-agent': 'modelstats/1', authorization };
  expect(receiver.requests).toMatchObject([{ url: '/night?x=1', headers }]);
});

test.each([
  [503, 3, [1_000, 5_000]],
  [429, 3, [1_000, 5_000]],
  [404, 1, []],
  [302, 1, []],
] as const)('an address that answers %d is tried %d times', async (status, tries, waited) => {
  receiver.answer = status;
  const sent = await send(`${receiver.url}/hunter2?token=hunter2`);
  expect(sent).toEqual({ tries, problem: `${receiver.host} responded with ${status}` });
  expect([receiver.requests.length, waits]).toEqual([tries, waited]);
});

test('an address that does not answer, or is not there, is given up with a reason that has no secret', async () => {
  receiver.answer = 'hang';
  const silent = await send(`http://ops:hunter2@${receiver.host}/hunter2?token=hunter2`, { timeoutMs: 50 });
  expect(silent).toEqual({ tries: 3, problem: `${receiver.host} did not respond within 0.05 s` });
  const absent = await send('http://ops:hunter2@127.0.0.1:1/hunter2');
  expect(absent.problem).toMatch(/^127\.0\.0\.1:1 can't be reached: ./);
  expect(absent.problem).not.toContain('hunter2');
});

test('a mail has the first line as its subject and is tried like all', async () => {
  const mails: object[] = [];
  const sendMail: SendDeps['sendMail'] = async ({ signal: _, ...mail }) => void mails.push(mail);
  expect(await send('ops@example.com', { sendMail })).toMatchObject({ tries: 1 });
  expect(mails).toEqual([
    { to: 'ops@example.com', subject: 'modelstats: 2026-11-20 is held and needs a person', text: `${NOTICE.text}\n` },
  ]);
  expect(await send('ops@example.com')).toEqual({ tries: 3, problem: 'there is no mail' });
});

test('a mail that is never taken is given up in the time of a try', async () => {
  const sendMail: SendDeps['sendMail'] = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
  expect(await send('ops@example.com', { sendMail, timeoutMs: 20 })).toEqual({ tries: 3, problem: 'given up' });
});

test('a program that leaves something running keeps nobody from ending', async () => {
  const pipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
  const before = pipes();
  const path = await script(`sleep 30 & echo $! > ${folder()}/pid`);
  expect(await send(`exec:${path}`)).toEqual({ tries: 1, problem: undefined });
  await expect.poll(pipes).toBe(before);
  process.kill(Number(await readFile(folder('pid'), 'utf8')));
});

test('a program gets the notice on its input and in its environment, and no shell reads any of it', async () => {
  const path = await script(
    `cat > ${folder()}/in; printf '%s|%s|%s|%s' "$1" "$2" "$NOTICE_KIND" "$NOTICE_NEXT_COMMAND" > ${folder()}/out`,
  );
  expect(await send(`exec:${path} $HOME ;id`)).toEqual({ tries: 1, problem: undefined });
  expect(JSON.parse(await readFile(folder('in'), 'utf8'))).toEqual(NOTICE);
  expect(await readFile(folder('out'), 'utf8')).toBe('$HOME|;id|held|modelstats nightly --accept');
});

test('a program that fails, is not there, takes too long or reads nothing is told as such', async () => {
  expect((await send(`exec:${await script('echo no pager >&2; exit 3')}`)).problem).toMatch(
    /ended with exit code 3: no pager$/,
  );
  expect((await send(`exec:${folder()}/none`)).problem).toMatch(/can't be started: .*ENOENT/);
  const slow = await script(`sleep 60 & echo $! > ${folder()}/pid; wait`);
  expect((await send(`exec:${slow}`, { timeoutMs: 300 })).problem).toMatch('took longer than 0.3 s and was killed');
  const pid = Number(await readFile(folder('pid'), 'utf8'));
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(await send(`exec:${await script('exec <&-; exit 0')}`)).toEqual({ tries: 1, problem: undefined });
});

/** Whether a process does anything any more: one that was killed may wait for somebody to ask for its end. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) Z /.test(stat);
}

test.each([
  [' https://hooks.example.com/a?b=c ', { kind: 'url', url: 'https://hooks.example.com/a?b=c' }],
  ['http://10.0.0.7:9000/x', { kind: 'url', url: 'http://10.0.0.7:9000/x' }],
  ['mailto:ops@example.com', { kind: 'mail', to: 'ops@example.com' }],
  ['ops@example.com', { kind: 'mail', to: 'ops@example.com' }],
  ['exec:/usr/local/bin/page --to  ops', { kind: 'exec', program: '/usr/local/bin/page', args: ['--to', 'ops'] }],
])('«%s» is a target', (text, target) => {
  expect(parseTarget(text)).toEqual(target);
});

test.each(['', 'ops', 'ftp://x/y', 'https://', 'exec:page', 'exec:', 'mailto:', 'mailto:a@b?bcc=c@d', 'a@b\nBcc: c@d'])(
  '«%s» is none',
  (text) => expect(parseTarget(text)).toBeUndefined(),
);

test('what is shown of a target has no secret: neither path nor query nor password of a URL, nor arguments', () => {
  const address = 'https://u:hunter2@hooks.example.com/services/T0/hunter2?token=hunter2';
  const targets = [address, 'exec:/bin/page hunter2', 'ops@x'].flatMap((text) => parseTarget(text) ?? []);
  expect(targets.map(shownTarget)).toEqual(['https://hooks.example.com/…', 'exec:/bin/page', 'mailto:ops@x']);
});
