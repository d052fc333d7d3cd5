import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { type CalledCli, callCli, envOf, type RunningCli, responsesFrom, startCli } from '../processes/cli.ts';
import { NoticeReceiver } from './notice-receiver.ts';

export const TODAY = dayFromDate(new Date());
export const YESTERDAY = addDays(TODAY, -1);

/** A scheduler that runs: its log so far, and its metrics. */
export type RunningSchedule = ReturnType<ScheduledPlace['schedule']>;

/** Where yesterday was published for the tests of this process. */
let published: Promise<string> | undefined;

/** A store whose nights tell a receiver; today's night begins as soon as a scheduler starts. */
export class ScheduledPlace {
  readonly folder = mkdtempSync(join(tmpdir(), 'modelstats-told-'));
  readonly source = join(this.folder, 'source');
  readonly store = join(this.folder, 'store');
  readonly receiver: NoticeReceiver;
  readonly env: Readonly<Record<string, string>>;
  readonly #started: RunningCli[] = [];

  private constructor(receiver: NoticeReceiver) {
    this.receiver = receiver;
    this.env = {
      ...envOf({ store: this.store, work: join(this.folder, 'work') }),
      MODELSTATS_HEALTH_FILE: join(this.folder, 'health.json'),
      MODELSTATS_CRON: '0 0 * * *',
      MODELSTATS_RETRY_UNTIL: '24:00',
      MODELSTATS_RETRY_FIRST_SECONDS: '0.2',
      MODELSTATS_RETRY_MAX_SECONDS: '0.5',
      MODELSTATS_METRICS_PORT: '0',
      MODELSTATS_NOTIFY: receiver.url,
    };
  }

  /** A place on which yesterday is published: a copy, since what a first night writes names no place. */
  static async open(): Promise<ScheduledPlace> {
    const place = new ScheduledPlace(await NoticeReceiver.start());
    published ??= place.#publishYesterday();
    await cp(await published, place.folder, { recursive: true });
    return place;
  }

  async #publishYesterday(): Promise<string> {
    await this.write(10);
    await this.run(['nightly', '--source', this.source, '--day', YESTERDAY]);
    const copy = await mkdtemp(join(tmpdir(), 'modelstats-yesterday-'));
    await cp(this.folder, copy, { recursive: true });
    return copy;
  }

  /** Puts models into the source, in one step. */
  async write(models: number): Promise<void> {
    const lines = Array.from({ length: models }, (_, at) => `{"id":"m${at}","name":"Model ${at}"}\n`);
    await mkdir(this.source, { recursive: true });
    await writeFile(join(this.folder, 'models.jsonl'), lines.join(''));
    await rename(join(this.folder, 'models.jsonl'), join(this.source, 'models.jsonl'));
  }

  /** The same between two attempts at a night: one that reads just then would be rejected, and told. */
  async writeBetween(scheduler: RunningSchedule, models: number): Promise<void> {
    await scheduler.loggedNext('retrying at');
    await this.write(models);
  }

  /** Puts a SELECT in place of the models that looks for what there isn't for hours: a night that runs it doesn't end. */
  async writeEndless(): Promise<void> {
    const select = `SELECT 'a' AS id, 'A' AS name FROM range(1000000000000000) AS numbers(i) WHERE i % 1000003 = -1`;
    await writeFile(join(this.source, 'source.sql'), `-- models\n${select}\n`);
    rmSync(join(this.source, 'models.jsonl'));
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CalledCli> {
    return callCli(args, { env: { ...this.env, ...env } });
  }

  schedule(env: Readonly<Record<string, string>> = {}) {
    const cli = startCli(['schedule', '--source', this.source, '--json'], { env: { ...this.env, ...env } });
    this.#started.push(cli);
    if (cli.child.stderr === null) throw new Error('stderr is not piped');
    const lines: string[] = [];
    const waiting: (() => void)[] = [];
    createInterface({ input: cli.child.stderr }).on('line', (line) => {
      lines.push(line);
      for (const wake of waiting.splice(0)) wake();
    });
    const loggedFrom = async (first: number, text: string) => {
      const isThere = () => lines.slice(first).some((line) => line.includes(text));
      while (!isThere()) await new Promise<void>((resolve) => waiting.push(resolve));
    };
    /** Resolves at the first line with a text, also where it was logged before. */
    const logged = (text: string) => loggedFrom(0, text);
    const loggedNext = (text: string) => loggedFrom(lines.length, text);
    /** The lines of `/metrics` that are ours. */
    const metrics = async () => {
      await logged('serving metrics');
      const { url } = JSON.parse(lines.find((line) => line.includes('serving metrics')) ?? '{}');
      const text = await (await fetch(url)).text();
      return text.split('\n').filter((line) => line.startsWith('modelstats_'));
    };
    return { ...cli, lines, logged, loggedNext, metrics };
  }

  /** Ends a scheduler, and waits until it has: its exit code, and the status of each of its nights. */
  async end({ child, ended }: RunningCli, signal: NodeJS.Signals) {
    child.kill(signal);
    const { code, stdout } = await ended;
    return { code, statuses: responsesFrom(stdout).map(({ status }) => status) };
  }

  async dispose(): Promise<void> {
    for (const { child } of this.#started) child.kill('SIGKILL');
    await Promise.all(this.#started.map(({ ended }) => ended));
    await this.receiver.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
