import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import type { S3StoreOptions } from '../../../storage/s3/s3-store.ts';
import { findExecutable, freePort } from './servers.ts';

const TOOLS = join(import.meta.dirname, '../../../.tools');
const BUCKET = 'modelstats-test';
const START_MS_MAX = 30_000;

/** Tests that need MinIO: left out, with the reason, where there is none; under CI=true its absence is a failure. */
export function describeOnMinio(name: string, tests: () => void): void {
  const isThere = findMinio() !== undefined || process.env['CI'] === 'true';
  if (isThere) {
    describe(`${name} on MinIO`, tests);
    return;
  }
  const reason = 'no minio on PATH or in .tools/, run `make minio`';
  console.warn(`left out: the tests of ${name} on MinIO: ${reason}`);
  describe.skip(`${name} on MinIO (left out: ${reason})`, tests);
}

/** A MinIO server of one test file: loopback, a free port, data that goes away with it, one empty bucket. */
export class Minio {
  static readonly CREDENTIALS = { accessKeyId: 'modelstats', secretAccessKey: 'modelstats-secret' };
  readonly endpoint: string;
  readonly bucket = BUCKET;
  readonly #binary: string;
  readonly #data: string;
  #server: ChildProcess | undefined;

  private constructor(binary: string, data: string, port: number) {
    this.#binary = binary;
    this.#data = data;
    this.endpoint = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<Minio> {
    const binary = findMinio();
    if (binary === undefined) throw new Error('there is no minio on PATH or in .tools/: run `make minio`');
    const data = await mkdtemp(join(tmpdir(), 'modelstats-minio-'));
    await mkdir(join(data, BUCKET)); // A folder at the top of the data is a bucket.
    const minio = new Minio(binary, data, await freePort());
    await minio.run();
    return minio;
  }

  /** What a store needs to reach it. Short limits: nothing here takes long. */
  get options(): S3StoreOptions {
    return { endpoint: this.endpoint, credentials: Minio.CREDENTIALS, connectTimeoutMs: 2_000, idleTimeoutMs: 20_000 };
  }

  /** What the command line needs to reach it. */
  get environment(): Readonly<Record<string, string>> {
    return {
      MODELSTATS_S3_ENDPOINT: this.endpoint,
      AWS_ACCESS_KEY_ID: Minio.CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: Minio.CREDENTIALS.secretAccessKey,
    };
  }

  /** Starts the server, again after {@link kill}, with the same data and address. */
  async run(): Promise<void> {
    if (this.#isRunning()) throw new Error('minio is running already');
    const address = this.endpoint.slice('http://'.length);
    const server = spawn(this.#binary, ['server', this.#data, '--address', address, '--quiet'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        HOME: this.#data,
        MINIO_ROOT_USER: Minio.CREDENTIALS.accessKeyId,
        MINIO_ROOT_PASSWORD: Minio.CREDENTIALS.secretAccessKey,
        MINIO_BROWSER: 'off',
      },
    });
    this.#server = server;
    for (let waitedMs = 0; !(await isReady(this.endpoint)); waitedMs += 50) {
      if (server.exitCode !== null) throw new Error(`minio ended with exit code ${server.exitCode}`);
      if (waitedMs > START_MS_MAX) throw new Error(`minio was not ready after ${START_MS_MAX} ms`);
      await sleep(50);
    }
  }

  /** Ends the server as a power cut would; the data stays. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (server === undefined || !this.#isRunning()) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }

  #isRunning(): boolean {
    return this.#server?.exitCode === null && this.#server.signalCode === null;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true });
  }
}

function findMinio(): string | undefined {
  return findExecutable('minio', [TOOLS, ...(process.env['PATH'] ?? '').split(delimiter)]);
}

async function isReady(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/minio/health/ready`)).ok;
  } catch {
    return false;
  }
}
