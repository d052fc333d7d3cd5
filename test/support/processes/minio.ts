import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3StoreOptions } from '../../../storage/s3/s3-store.ts';
import { describeWith, getProgram, ServerProcess } from './server-process.ts';
import { freePort } from './servers.ts';

const BUCKET = 'modelstats-test';

export function describeOnMinio(name: string, tests: () => void): void {
  describeWith('minio', `${name} on MinIO`, tests);
}

/** A MinIO server of one test file: loopback, a free port, data that goes away with it, one empty bucket. */
export class Minio {
  static readonly CREDENTIALS = { accessKeyId: 'modelstats', secretAccessKey: 'modelstats-secret' };
  readonly endpoint: string;
  readonly bucket = BUCKET;
  readonly #data: string;
  readonly #process: ServerProcess;

  private constructor(data: string, address: string) {
    this.#data = data;
    this.endpoint = `http://${address}`;
    const command = [getProgram('minio'), 'server', data, '--address', address, '--quiet'];
    this.#process = new ServerProcess(command, async () => (await fetch(`${this.endpoint}/minio/health/ready`)).ok, {
      HOME: data,
      MINIO_ROOT_USER: Minio.CREDENTIALS.accessKeyId,
      MINIO_ROOT_PASSWORD: Minio.CREDENTIALS.secretAccessKey,
      MINIO_BROWSER: 'off',
    });
  }

  static async start(): Promise<Minio> {
    const data = await mkdtemp(join(tmpdir(), 'modelstats-minio-'));
    await mkdir(join(data, BUCKET)); // A folder at the top of the data is a bucket.
    const minio = new Minio(data, `127.0.0.1:${await freePort()}`);
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
  run(): Promise<void> {
    return this.#process.run();
  }

  /** Ends the server as a power cut would; the data stays. */
  async kill(): Promise<void> {
    await this.#process.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true });
  }
}
