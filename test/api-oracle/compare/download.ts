/** Compares a signed URL and fetches the file behind it. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { DownloadExpected } from '../expected.ts';
import { targetFromRequest } from '../request.ts';
import { findDifference, isObject } from './difference.ts';
import { compareBody, type Exchange, send, type Verdict } from './exchange.ts';

export async function compareDownload(exchange: Exchange, { body, contentSha256 }: DownloadExpected): Promise<Verdict> {
  const target = targetFromRequest(exchange.request);
  const answer = await send(exchange, target);
  const difference = compareBody(exchange, target, answer, body);
  if (difference !== undefined || !isObject(answer.body)) return difference;
  const file = await exchange.client.download(String(answer.body['url']));
  const expected = { status: 200, bytes: answer.body['bytes'], sha256: answer.body['sha256'], contentSha256 };
  const isFile = file.status === 200;
  const actual = {
    status: file.status,
    bytes: file.body.length,
    sha256: sha256(file.body),
    contentSha256: isFile ? sha256(gunzipSync(file.body)) : null,
  };
  const inFile = findDifference(expected, actual, '(file)');
  return inFile && { target, ...inFile };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
