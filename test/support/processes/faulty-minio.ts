import { afterAll, afterEach, beforeAll } from 'vitest';
import { s3AddressFrom } from '../../../storage/s3/client.ts';
import { S3Store, type S3StoreOptions } from '../../../storage/s3/s3-store.ts';
import type { ProxiedRequest } from './fault-proxy.ts';
import { describeOnMinio } from './minio.ts';
import { S3Server } from './s3-target.ts';

/** A MinIO with a proxy, and stores that reach it either way. */
export class FaultyMinio extends S3Server {
  /** A store that sees everything go right. */
  readonly direct = this.storeAt(this.minio.endpoint);

  get url(): string {
    return `s3://${this.minio.bucket}/faults`;
  }

  storeAt(endpoint: string, options: S3StoreOptions = {}): S3Store {
    return new S3Store(s3AddressFrom(this.url), { ...this.minio.options, endpoint, attemptsMax: 3, ...options });
  }

  storeWith(options: S3StoreOptions = {}): S3Store {
    return this.storeAt(this.proxy.endpoint, options);
  }

  async bodyOf(key: string): Promise<Buffer | undefined> {
    return (await this.direct.get(key))?.body;
  }
}

/** Tests that share one; each begins without a plan. */
export function describeOnFaultyMinio(name: string, tests: (get: () => FaultyMinio) => void): void {
  describeOnMinio(name, () => {
    let faulty: FaultyMinio;

    beforeAll(async () => {
      faulty = new FaultyMinio(...(await S3Server.startParts()));
    });
    afterEach(() => faulty.proxy.reset());
    afterAll(() => faulty?.stop());

    tests(() => faulty);
  });
}

export const isPut = ({ method }: ProxiedRequest) => method === 'PUT';
export const isGet = ({ method }: ProxiedRequest) => method === 'GET';
export const isCompletion = ({ method, url }: ProxiedRequest) => method === 'POST' && /[?&]uploadId=/.test(url);
export const isPart = (number: number) => (proxied: ProxiedRequest) =>
  isPut(proxied) && proxied.url.includes(`partNumber=${number}&`);
