import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { getProgram, ServerProcess } from './server-process.ts';
import { freePort } from './servers.ts';

/** A Redis server of one test file: loopback, a free port, a folder that goes away with it, nothing kept on disk. */
export class RedisServer {
  readonly url: string;
  readonly #folder: string;
  readonly #process: ServerProcess;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.url = `redis://127.0.0.1:${port}`;
    const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
    this.#process = new ServerProcess([getProgram('redis-server'), ...words], () => isAnswering(this.url));
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await mkdtemp(join(tmpdir(), 'modelstats-redis-')), await freePort());
    await server.run();
    return server;
  }

  /** Starts the server, again after {@link halt}, empty and at the same address. */
  run(): Promise<void> {
    return this.#process.run();
  }

  async halt(): Promise<void> {
    await this.#process.end('SIGKILL');
  }

  /** Stops answering, with connections open, until {@link thaw}. */
  freeze(): void {
    this.#process.signal('SIGSTOP');
  }

  thaw(): void {
    this.#process.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.halt();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Rejects where it can't be reached. */
async function isAnswering(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, connectTimeout: 1_000, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } finally {
    redis.disconnect();
  }
}
