import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NoticeReceiver } from '../../test/support/notices/notice-receiver.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { type NightFacts, Notices, type NoticesDeps } from './notices.ts';
import { NoticeMetrics } from './schedule-notices.ts';
import { parseTarget } from './send-notice.ts';

const [DAY, NEXT] = ['2026-11-20', '2026-11-21'];
const AT = new Date(`${DAY}T00:06:00Z`);
const held: NightFacts = { kind: 'held', day: DAY, at: AT, reasons: ['too few'] };

const work = useFolder({ perTest: true });
let receiver: NoticeReceiver;
let other: NoticeReceiver;
beforeEach(async () => {
  [receiver, other] = [await NoticeReceiver.start(), await NoticeReceiver.start()];
});
afterEach(async () => {
  await Promise.all([receiver.close(), other.close()]);
});

/** As a process has them. */
function open(choices: Partial<NoticesDeps> = {}) {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const onSent = vi.fn();
  const notices = new Notices({
    targets: [receiver.url, other.url].flatMap((url) => parseTarget(url) ?? []),
    store: 'file:/store',
    workFolder: work(),
    clock: () => AT,
    log,
    onSent,
    environment: {},
    userAgent: 'modelstats/1',
    timeoutMs: 2_000,
    sleep: async () => {},
    sendMail: async () => {},
    ...choices,
  });
  return { notices, log, onSent };
}

/** What the work folder has of the notice that the day is held. */
const noticePath = () => work('notices', `${DAY}.held.json`);
const readNotice = async () => JSON.parse(await readFile(noticePath(), 'utf8'));
const editNotice = async (changes: object) =>
  writeFile(noticePath(), JSON.stringify({ ...(await readNotice()), ...changes }));

test('a day and kind is told once, however often it comes and whichever process it comes to', async () => {
  const { notices } = open();
  await Promise.all([notices.send(held), notices.send(held)]);
  await open().notices.send({ ...held, reasons: ['still too few'] });
  await notices.send({ ...held, kind: 'late' });
  await notices.send({ ...held, day: NEXT });
  expect(receiver.headlines).toEqual([`held ${DAY}`, `late ${DAY}`, `held ${NEXT}`]);
  expect(other.headlines).toEqual(receiver.headlines);
});

test('a process that has to end leaves what is under way, and the next one goes on with it', async () => {
  receiver.answer = 'hang';
  // Longer than the test may take: nothing but its end ends a try.
  const { notices, log } = open({ timeoutMs: 600_000 });
  const sending = notices.send(held);
  await expect.poll(async () => [receiver.requests.length, (await readNotice()).taken.length]).toEqual([1, 1]);
  notices.abandon();
  await sending;
  await notices.send({ ...held, kind: 'late' });
  expect(log.error).not.toHaveBeenCalled();
  receiver.answer = 200;
  await open().notices.resume(DAY);
  expect([receiver.headlines, other.headlines]).toEqual([[`held ${DAY}`], [`held ${DAY}`]]);
});

test('what a process that lives is telling is left to it', async () => {
  await open().notices.send(held);
  await editNotice({ owner: `${process.ppid}@${hostname()}`, taken: [] });
  const { notices } = open();
  await notices.send(held);
  await notices.resume(DAY);
  expect(receiver.headlines).toEqual([`held ${DAY}`]);
});

test('what another process had left belongs to the one that goes on with it, while it does', async () => {
  other.answer = 500;
  await open().notices.send(held);
  expect((await readNotice()).owner).toBeNull();
  other.answer = 'hang';
  const before = other.requests.length;
  const { notices } = open();
  const sending = notices.send(held);
  await expect.poll(() => other.requests.length).toBe(before + 1);
  expect((await readNotice()).owner).toBe(`${process.pid}@${hostname()}`);
  notices.abandon();
  await sending;
});

test('that a day is published is told where it was told as not, once, and where nothing was told never', async () => {
  const { notices } = open();
  await notices.published(DAY);
  await notices.send({ ...held, day: NEXT });
  await notices.published(DAY);
  expect(receiver.headlines).toEqual([`held ${NEXT}`]);
  await open().notices.published(NEXT);
  await notices.published(NEXT);
  await notices.published('2026-11-22');
  expect(receiver.headlines).toEqual([`held ${NEXT}`, `recovered ${NEXT}`]);
  expect(receiver.notices[1]?.reasons).toEqual([`${NEXT} was reported as held`]);
});

test('a day that was given up is over with the next one that is published, and is named as left out', async () => {
  const { notices } = open();
  await notices.send({ ...held, kind: 'rejected' });
  await notices.send({ ...held, kind: 'late' });
  await notices.published(NEXT);
  expect(receiver.headlines.at(-1)).toBe(`recovered ${NEXT}`);
  expect(receiver.notices.at(-1)?.reasons).toContain(`never published: ${DAY}`);
});

test('who did not take a notice gets it with the next occasion, the others not again', async () => {
  other.answer = 500;
  const { notices, log, onSent } = open();
  await notices.send(held);
  const fields = { kind: 'held', day: DAY, target: `http://${other.host}/…`, tries: 3 };
  expect(log.error.mock.calls).toEqual([[fields, `a notice was not accepted: ${other.host} responded with 500`]]);
  expect(onSent.mock.calls.sort()).toEqual([
    ['held', false],
    ['held', true],
  ]);
  other.answer = 200;
  await open().notices.send(held);
  expect([receiver.headlines, other.headlines]).toEqual([[`held ${DAY}`], [`held ${DAY}`]]);
});

test('what a killed process had begun is finished by the next, to those whom it had not reached', async () => {
  await open().notices.send(held);
  const { owner, taken } = await readNotice();
  expect([owner, taken]).toEqual([null, [expect.any(String), expect.any(String)]]);
  await editNotice({ owner: '999999999@elsewhere', taken: taken.slice(0, 1) });
  const soon = open();
  await soon.notices.resume(DAY);
  expect(receiver.headlines.length + other.headlines.length, 'another machine may still be at it').toBe(2);
  const later = open({ clock: () => new Date(AT.getTime() + 61_000) });
  await later.notices.resume(NEXT);
  expect(receiver.headlines.length + other.headlines.length, 'older days are left alone').toBe(2);
  await later.notices.resume(DAY);
  expect(receiver.headlines.length + other.headlines.length).toBe(3);
  await later.notices.resume(DAY);
  expect(receiver.headlines.length + other.headlines.length).toBe(3);
});

test('what a container that was made anew had begun is told as soon as nobody can be at it any more', async () => {
  other.answer = 'hang';
  const killed = open();
  const abandoned = killed.notices.send(held);
  await expect.poll(async () => [(await readNotice()).taken.length, other.requests.length]).toEqual([1, 1]);
  killed.notices.abandon();
  await abandoned;
  await editNotice({ owner: '1@before', owned_at: AT.toISOString() });
  other.answer = 200;
  let now = AT.getTime() + 20_000;
  const waited: number[] = [];
  const sleep = async (ms: number) => {
    waited.push(ms);
    expect(other.headlines).toEqual([]);
    now += ms;
  };
  await open({ clock: () => new Date(now), sleep }).notices.resume(DAY);
  expect(waited).toEqual([40_000]);
  expect([receiver.headlines, other.headlines]).toEqual([[`held ${DAY}`], [`held ${DAY}`]]);
});

test('a stop while a claim of another is waited for ends at once, and leaves it', async () => {
  await open().notices.send(held);
  await editNotice({ owner: '1@before', taken: [] });
  const sleep = (_: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const { notices } = open({ sleep });
  const resumed = notices.resume(DAY);
  await notices.settled();
  notices.abandon();
  await resumed;
  expect(receiver.headlines).toEqual([`held ${DAY}`]);
});

test('a work folder that cannot be written keeps nobody from being told, once by a process', async () => {
  await writeFile(work('file'), '');
  const { notices, log } = open({ workFolder: work('file') });
  await notices.send(held);
  await notices.send(held);
  await notices.published(DAY);
  expect(receiver.headlines).toEqual([`held ${DAY}`, `recovered ${DAY}`]);
  expect(log.warn.mock.calls[0]?.[1]).toMatch(/can't be recorded in the work folder/);
});

test('the files of what was told have no secret of a target, are for their owner alone, and nothing lies beside them', async () => {
  await open().notices.send(held);
  expect(await readdir(work('notices'))).toEqual([`${DAY}.held.json`]);
  expect(JSON.stringify(await readNotice())).not.toContain(receiver.host);
});

test('a test goes to everybody, again and again, and leaves nothing', async () => {
  other.answer = 404;
  const { notices } = open();
  await notices.test(DAY);
  expect(await notices.test(DAY)).toEqual([
    { target: `http://${receiver.host}/…`, tries: 1, problem: undefined },
    { target: `http://${other.host}/…`, tries: 1, problem: `${other.host} responded with 404` },
  ]);
  expect(receiver.headlines).toEqual([`test ${DAY}`, `test ${DAY}`]);
  expect(await readdir(work())).toEqual([]);
});

test('notices are counted by kind and by whether they were taken, from nothing on', async () => {
  const registry = new Registry();
  const metrics = new NoticeMetrics(registry);
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line.includes('kind="held"'));
  const [taken, failed] = ['taken', 'failed'].map(
    (result) => `modelstats_notices_total{kind="held",result="${result}"}`,
  );
  expect(await lines()).toEqual([`${taken} 0`, `${failed} 0`]);
  metrics.onSent('held', true);
  metrics.onSent('held', false);
  metrics.onSent('held', false);
  expect(await lines()).toEqual([`${taken} 1`, `${failed} 2`]);
});
