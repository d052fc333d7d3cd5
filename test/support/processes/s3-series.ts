import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Database } from '../../../storage/duckdb/database.ts';
import { writeInventedDays } from '../../worlds/invented-days.ts';
import { readContents, type StoreContents } from '../pipeline/store-contents.ts';
import { answersFrom, type CliResult, FAILURE_AS_JSON, runCli } from './cli.ts';
import { S3Server, type S3Target } from './s3-target.ts';

const DAYS = 30;
const SOURCE_SEED = 503;

/** A failed night, as an operator sees it. */
export interface Failure {
  readonly code: number;
  /** What its one line on stderr must say, besides which store it was. */
  readonly says: readonly (string | RegExp)[];
}

/** A series of nights by the command on one S3 store, in which each night may meet a fault. */
export class S3Series {
  readonly server: S3Server;
  readonly target: S3Target;
  readonly #folder: string;
  readonly #days: readonly string[];
  readonly #database: Database;

  private constructor(server: S3Server, folder: string, days: readonly string[], database: Database) {
    this.server = server;
    this.target = server.target(join(folder, 'series'));
    this.#folder = folder;
    this.#days = days;
    this.#database = database;
  }

  /** Yesterday is published. */
  static async begin(): Promise<S3Series> {
    const folder = await mkdtemp(join(tmpdir(), 'modelstats-s3-series-'));
    const days = await writeInventedDays(join(folder, 'source'), DAYS, SOURCE_SEED);
    const tempFolder = join(folder, 'spill');
    const database = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder });
    const series = new S3Series(await S3Server.start(), folder, days, database);
    series.expectStatus('published', await series.night());
    series.server.proxy.reset();
    return series;
  }

  async end(): Promise<void> {
    this.#database.close();
    await this.server.stop();
    await rm(this.#folder, { recursive: true });
  }

  published(): Promise<StoreContents> {
    return readContents(this.target.store, this.#database);
  }

  /** The night of the next day, or what further words make of it. */
  async night(env: Readonly<Record<string, string>> = {}, further: readonly string[] = []): Promise<CliResult> {
    const source = join(this.#folder, 'source');
    // Some of the invented days would be held by the guard, which is not what is tested here.
    const words = ['--source', source, '--day', await this.nextDay(), '--accept', '--json', ...further];
    return runCli(['nightly', ...words], { env: { ...this.target.env, ...env } });
  }

  async nextDay(): Promise<string> {
    return this.#days[(await this.published()).releases.length] ?? '';
  }

  expectStatus(status: string, { code, stdout, stderr }: CliResult): void {
    expect({ code, stderr, status: answersFrom(stdout)[0]?.['status'] }).toEqual({ code: 0, stderr: '', status });
  }

  /** A night that meets a fault and publishes all the same, once. */
  async expectSurvived(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const before = await this.published();
    this.expectStatus('published', await this.night(env));
    this.#expectOneMore(before, await this.published());
  }

  /** A night that fails like this, leaves yesterday current and, run again without the fault, publishes. */
  async expectFailed(
    failure: Failure,
    env: Readonly<Record<string, string>> = {},
    mend = async () => {},
  ): Promise<void> {
    const before = await this.published();
    const result = await this.night(env);
    this.server.proxy.reset();
    await mend();
    this.expectFailure(failure, result);
    expect(await this.published()).toEqual(before);
    this.expectStatus('published', await this.night());
    this.#expectOneMore(before, await this.published());
  }

  expectFailure({ code, says }: Failure, result: CliResult): void {
    const stdout = expect.stringMatching(FAILURE_AS_JSON);
    expect(result).toMatchObject({ code, stdout, stderr: expect.stringMatching(/^modelstats: .+\n$/) });
    for (const words of says) expect(result.stderr).toMatch(words);
  }

  #expectOneMore(before: StoreContents, after: StoreContents): void {
    expect(after.releases.slice(0, -1)).toEqual(before.releases);
    expect(after.events.slice(0, before.events.length)).toEqual(before.events);
    expect(after.events.map(([seq]) => seq)).toEqual(after.events.map((_, index) => index + 1));
  }
}
