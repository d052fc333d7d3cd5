/** Nights of each kind, by the real command: what arrives where an operator listens, and the table of docs/operations.md made of it. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { NoticeKind } from '../../pipeline/notices/notice.ts';
import { goldenTable } from '../support/documents/golden-table.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { type RunningSchedule, ScheduledPlace, TODAY, YESTERDAY } from '../support/notices/scheduled-place.ts';
import { responsesFrom } from '../support/processes/cli.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';

let place: ScheduledPlace;
beforeEach(async () => {
  place = await ScheduledPlace.open();
});
afterEach(() => place.dispose());

/** What makes a night of each kind; resolves to the scheduler that has told it. */
const MAKE: Readonly<Record<NoticeKind, () => Promise<RunningSchedule>>> = {
  async held() {
    await place.write(2);
    return place.schedule();
  },
  async rejected() {
    rmSync(place.source, { recursive: true });
    return place.schedule();
  },
  async failed() {
    await rename(place.store, `${place.store}.gone`);
    await writeFile(place.store, '');
    return place.schedule();
  },
  async late() {
    rmSync(place.source, { recursive: true });
    return place.schedule({ MODELSTATS_NOTIFY_LATE_AFTER: '00:01' });
  },
  async recovered() {
    await place.write(2);
    const scheduler = place.schedule();
    await place.receiver.next('held');
    await place.writeBetween(scheduler, 9);
    return scheduler;
  },
};

const rules: readonly { alert: string; expr: string }[] = parse(
  readFileSync(join(ROOT, 'deploy/prometheus-alerts.yaml'), 'utf8'),
).groups.flatMap((group: { rules: readonly { alert: string; expr: string }[] }) => group.rules);

/** The lines that say how the last night stands, or that one is late. */
const standing = (lines: readonly string[]) =>
  lines.filter((line) => /^modelstats_night_(status|late)\b.* 1$/.test(line));

/** Whether a rule fires on a line such as `modelstats_night_status{status="held"} 1`, or on one of several statuses. */
function isAbout(expr: string, line: string): boolean {
  const [, name, statuses] =
    /^(?:max without \(status\) \()?(\w+)(?:\{status=~?"([\w|]+)"\})?\)? == 1$/.exec(expr) ?? [];
  const [, told, status] = /^(\w+)(?:\{status="(\w+)"\})? 1$/.exec(line) ?? [];
  return (
    name !== undefined && name === told && (status === undefined || Boolean(statuses?.split('|').includes(status)))
  );
}

async function rowOf(kind: NoticeKind): Promise<string> {
  const scheduler = await MAKE[kind]();
  const { text, next_command } = await place.receiver.next(kind);
  const own = kind === 'late' ? /late/ : /status/;
  const metrics = standing(await scheduler.metrics()).filter((line) => own.test(line));
  const alerts = metrics.flatMap((line) => rules.filter(({ expr }) => isAbout(expr, line)));
  const told = (words: string) => words.replaceAll(place.source, 'DIR').replaceAll(TODAY, 'DAY');
  return `| ${[
    kind,
    told(text.split('\n')[0] ?? ''),
    metrics.map((line) => `\`${line.replace(/ 1$/, ' == 1')}\``).join(', '),
    alerts.map(({ alert }) => `\`${alert}\``).join(', ') || 'the alerts above end',
    next_command === null ? 'none' : `\`${told(next_command)}\``,
  ].join(' | ')} |`;
}

const rows: string[] = [];

test.each(Object.keys(MAKE) as NoticeKind[])(
  'a night that is %s is told with its metric, its alert and what mends it',
  async (kind) => {
    const row = await rowOf(kind);
    rows.push(row);
    expect(row).toMatch(/^\| \w+ \| modelstats: .*DAY.* \| `modelstats_night_.*` \| .+ \| .+ \|$/);
  },
);

test('docs/operations.md has what nights of each kind really tell', () => {
  const table = [
    '| kind | first line of the notice | metric | alert | command |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ];
  expect(rows).toHaveLength(Object.keys(MAKE).length);
  expect(goldenTable('docs/operations.md', 'notices: made by a test in test/cli', table)).toEqual(table);
});

test('a night that stays held is told once, also by a scheduler that was killed and started again, and its recovery once', async () => {
  await place.write(2);
  const killed = place.schedule();
  const notice = await place.receiver.next('held');
  expect(notice).toMatchObject({
    day: TODAY,
    store: `file:${place.store}`,
    reasons: [expect.stringContaining('models would')],
    gone: [{ dataset: 'models', records: 8, examples: ['m2', 'm3', 'm4', 'm5', 'm6'] }],
    next_command: `modelstats nightly --source ${place.source} --day ${TODAY} --accept`,
    next_attempt_at: expect.stringMatching(/^20/),
    report: expect.stringContaining(join('work', 'runs')),
  });
  await killed.logged('"attempt":3');
  await place.end(killed, 'SIGKILL');
  const next = place.schedule();
  await next.logged('"attempt":3');
  const check = await place.run(['schedule', '--check']);
  expect(check).toMatchObject({ code: 1, stdout: expect.stringContaining(`run: ${notice.next_command}`) });
  expect((await place.run(['schedule', '--check', '--alive'])).code).toBe(0);
  expect(place.receiver.headlines).toEqual([`held ${TODAY}`]);
  await place.writeBetween(next, 9);
  await place.receiver.next('recovered');
  expect((await place.run(['schedule', '--check'])).code).toBe(0);
  await place.end(next, 'SIGTERM');
  const again = place.schedule();
  await again.logged('is published already');
  await place.end(again, 'SIGTERM');
  expect(place.receiver.headlines).toEqual([`held ${TODAY}`, `recovered ${TODAY}`]);
});

test('nights that cron runs tell each kind once, and what was told while a scheduler runs is not told again', async () => {
  await place.write(2);
  const nightly = ['nightly', '--source', place.source];
  for (let time = 0; time < 2; time += 1) expect((await place.run(nightly)).code).toBe(3);
  expect(place.receiver.headlines).toEqual([`held ${TODAY}`]);
  await place.run([...nightly, '--dry-run']);
  const scheduler = place.schedule();
  await scheduler.logged('"attempt":2');
  await place.end(scheduler, 'SIGTERM');
  expect((await place.run([...nightly, '--accept'])).code).toBe(0);
  await place.run(nightly);
  expect(place.receiver.headlines).toEqual([`held ${TODAY}`, `recovered ${TODAY}`]);
});

test('who can not be told harms no night, and no secret of an address is logged', async () => {
  await place.write(2);
  place.receiver.answer = 500;
  const [page, notify] = [
    join(place.folder, 'page'),
    `http://ops:hunter2@${place.receiver.host}/hunter2?token=hunter2`,
  ];
  await writeFile(page, `#!/bin/sh\ncat > ${place.folder}/paged\n`);
  await chmod(page, 0o755);
  const { code, stdout, stderr } = await place.run(['nightly', '--source', place.source], {
    MODELSTATS_NOTIFY: `${notify}, exec:${page}, mailto:ops@example.com`,
    MODELSTATS_MAIL: join(place.folder, 'mail'),
  });
  expect(code).toBe(3);
  expect(stderr).toContain(
    `http://${place.receiver.host}/…: a notice was not accepted: ${place.receiver.host} responded with 500`,
  );
  expect(stdout + stderr).not.toContain('hunter2');
  expect(JSON.parse(readFileSync(join(place.folder, 'paged'), 'utf8'))).toMatchObject({ kind: 'held', day: TODAY });
  const [mail = ''] = readdirSync(join(place.folder, 'mail'));
  expect(readFileSync(join(place.folder, 'mail', mail), 'utf8')).toMatch(
    /^Subject: modelstats: \S+ is held and needs a person$/m,
  );
});

test('notify test tries everybody, says how each went, and is refused where nobody is named', async () => {
  const notify = { MODELSTATS_NOTIFY: `${place.receiver.url},exec:/nowhere/page` };
  const { code, stdout } = await place.run(['notify', 'test', '--json'], notify);
  expect(code).toBe(1);
  expect(responsesFrom(stdout)).toEqual([
    {
      ok: false,
      targets: [
        { target: `http://${place.receiver.host}/…`, ok: true, tries: 1, problem: null },
        { target: 'exec:/nowhere/page', ok: false, tries: 3, problem: expect.stringContaining("can't be started") },
      ],
    },
  ]);
  expect(place.receiver.headlines).toEqual([`test ${TODAY}`]);
  expect((await place.run(['notify', 'test'])).stdout).toBe(`accepted http://${place.receiver.host}/…\n`);
  expect(await place.run(['notify', 'test'], { MODELSTATS_NOTIFY: '' })).toMatchObject({ code: 2 });
});

test('a server that runs the nights tells of them, and has their metrics beside its own', async () => {
  await place.write(2);
  const serving = await ServingProcess.start({
    store: place.store,
    database: `sqlite:${join(place.folder, 'accounts.db')}`,
    args: ['--with-schedule', '--source', place.source],
    env: { ...place.env, MODELSTATS_METRICS_OPEN: 'true' },
  });
  onTestFinished(() => serving.dispose());
  expect(await place.receiver.next('held')).toMatchObject({ day: TODAY });
  const yesterday = Date.parse(YESTERDAY) / 1000;
  // The view and the look at the store take their own time beside the night.
  await vi.waitFor(
    async () => {
      const lines = (await (await fetch(`${serving.url}/metrics`)).text()).split('\n');
      expect(standing(lines)).toEqual(['modelstats_night_status{status="held"} 1']);
      expect(lines).toContain('modelstats_problem{part="schedule",code="held"} 1');
      expect(lines).toContain(`modelstats_release_day_timestamp_seconds ${yesterday}`);
      expect(lines).toContain(`modelstats_view_release_day_timestamp_seconds ${yesterday}`);
    },
    { timeout: 30_000, interval: 200 },
  );
});

test('a wrong call and a stop tell nobody', async () => {
  await place.run(['nightly', '--source', place.source, '--day', '2999-01-01']);
  await place.run(['nightly', '--source', place.source, '--day', '2000-01-01']);
  await place.write(10);
  await place.writeEndless();
  const scheduler = place.schedule({ MODELSTATS_STOP_TIMEOUT_SECONDS: '0.5' });
  await scheduler.logged('night started');
  await place.end(scheduler, 'SIGTERM');
  expect(scheduler.lines.join('\n')).toContain('abandoned');
  expect(place.receiver.requests).toEqual([]);
});

test('status says how the last night went, and with --check whether somebody is needed', async () => {
  const empty = { MODELSTATS_STORE: `file:${join(place.folder, 'empty')}` };
  expect((await place.run(['status'], empty)).code).toBe(0);
  expect((await place.run(['status', '--check'], empty)).code).toBe(1);
  await place.write(2);
  await place.run(['nightly', '--source', place.source], { MODELSTATS_NOTIFY: '' });
  const late = { MODELSTATS_NOTIFY_LATE_AFTER: '00:01' };
  const { code, stdout } = await place.run(['status', '--json'], late);
  expect(code).toBe(0);
  const command = `modelstats nightly --source ${place.source} --day ${TODAY} --accept`;
  expect(responsesFrom(stdout)).toMatchObject([
    { is_stale: true, expected_day: TODAY, last_run: { day: TODAY, status: 'held', next_command: command } },
  ]);
  const check = await place.run(['status', '--check']);
  expect(check).toMatchObject({ code: 1, stdout: expect.stringContaining(`if the source is right, run: ${command}`) });
  await place.run(['nightly', '--source', place.source, '--accept']);
  expect((await place.run(['status', '--check'], late)).code).toBe(0);
  expect(existsSync(join(place.folder, 'work', 'notices'))).toBe(false);
});
