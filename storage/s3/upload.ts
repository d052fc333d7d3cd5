import { Readable } from 'node:stream';
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { etagFrom } from './reader.ts';

/** Bytes that can be read again when an upload starts again. */
export interface UploadSource {
  readonly bytes: number;
  /** All of them at once; asked for small sources only. */
  read(): Promise<Uint8Array>;
  /** Them from the beginning; asked for large sources only. */
  stream(): Readable | Uint8Array;
}

export interface UploadOptions {
  /** Objects above this size go up in parts of it, in bytes; 5 MB at least. */
  readonly partBytes: number;
  /** Parts of one object at the same time. In memory are about twice as many. */
  readonly partsAtOnceMax: number;
}

export type UploadRequest = Pick<PutObjectCommandInput, 'Bucket' | 'Key' | 'Metadata' | 'IfNoneMatch' | 'IfMatch'>;

/** S3 takes no more parts than this. */
const PARTS_MAX = 10_000;

/**
 * Uploads an object, at once or in parts, without holding a large one in memory. The store verifies the SHA-256 of what arrives:
 * of the whole where it comes at once, of each part and of their number where not (the checksum that it keeps is then a hash of
 * the parts' hashes). A condition is checked at the end of the upload, when the object appears.
 * @returns the version
 */
export async function upload(
  client: S3Client,
  request: UploadRequest,
  source: UploadSource,
  options: UploadOptions,
): Promise<string> {
  const params = { ...request, ContentType: contentTypeOf(request.Key ?? ''), ChecksumAlgorithm: 'SHA256' as const };
  if (source.bytes > options.partBytes) return uploadParts(client, params, source, options);
  const { ETag } = await client.send(new PutObjectCommand({ ...params, Body: await source.read() }));
  return etagFrom(ETag);
}

async function uploadParts(
  client: S3Client,
  params: PutObjectCommandInput,
  source: UploadSource,
  { partBytes, partsAtOnceMax }: UploadOptions,
): Promise<string> {
  const body = source.stream();
  try {
    const { ETag } = await new Upload({
      client,
      params: { ...params, Body: body, ContentLength: source.bytes },
      partSize: Math.max(partBytes, Math.ceil(source.bytes / PARTS_MAX)),
      queueSize: partsAtOnceMax,
    }).done();
    return etagFrom(ETag);
  } finally {
    if (body instanceof Readable) body.destroy();
  }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  gz: 'application/gzip', // A file, not a transfer encoding: nobody may unpack it on the way.
  parquet: 'application/vnd.apache.parquet',
};

function contentTypeOf(name: string): string {
  return CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
