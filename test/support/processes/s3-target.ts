import { basename, join } from 'node:path';
import { s3AddressFrom } from '../../../storage/s3/client.ts';
import { S3Store } from '../../../storage/s3/s3-store.ts';
import type { RunningCli } from './cli.ts';
import { FaultProxy, type ProxiedRequest } from './fault-proxy.ts';
import { Minio } from './minio.ts';
import type { Target } from './target.ts';

/** A MinIO server for nights, with a proxy before it that sees their requests and lets some go wrong. */
export class S3Server {
  readonly minio: Minio;
  readonly proxy: FaultProxy;

  constructor(minio: Minio, proxy: FaultProxy) {
    this.minio = minio;
    this.proxy = proxy;
  }

  static async startParts(): Promise<[Minio, FaultProxy]> {
    const minio = await Minio.start();
    return [minio, await FaultProxy.start(minio.endpoint)];
  }

  static async start(): Promise<S3Server> {
    return new S3Server(...(await S3Server.startParts()));
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    await this.minio.stop();
  }

  /** A store named like the folder, whose work lies in the folder. Nights go through the proxy, a look inside does not. */
  target(folder: string) {
    const url = `s3://${this.minio.bucket}/${basename(folder)}`;
    const work = join(folder, 'work');
    return {
      url,
      env: {
        ...this.minio.environment,
        MODELSTATS_S3_ENDPOINT: this.proxy.endpoint,
        MODELSTATS_STORE: url,
        MODELSTATS_WORK: work,
      },
      work,
      store: new S3Store(s3AddressFrom(url), this.minio.options),
      writesRelease: (cli: RunningCli, path?: string) =>
        this.#arrival(cli, isPutOf(`${basename(folder)}/releases/`, path)),
    } satisfies Target & { readonly url: string };
  }

  /** Resolves when such a request arrives, or the process ends. */
  async #arrival({ ended }: RunningCli, matches: (request: ProxiedRequest) => boolean): Promise<void> {
    const waiting = new AbortController();
    const arrival = this.proxy.arrival(matches, waiting.signal).catch(() => undefined);
    await Promise.race([arrival, ended]);
    waiting.abort();
  }
}

export type S3Target = ReturnType<S3Server['target']>;

/** Puts of objects whose key has this in it and, where given, ends like this. */
export function isPutOf(part: string, end = ''): (request: ProxiedRequest) => boolean {
  return ({ method, url }) => {
    const [path = ''] = url.split('?');
    return method === 'PUT' && path.includes(`/${part}`) && path.endsWith(end);
  };
}
