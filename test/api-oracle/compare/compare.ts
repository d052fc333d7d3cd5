/**
 * Sends a request and compares what comes back with what must come back: status, every value, the wire order of records'
 * keys, and the text itself, which is the one way to write its values. A list is read to its end by following its
 * cursors, the feed for some pages.
 */
import { gunzipSync } from 'node:zlib';
import { sha256 } from '../../night-oracle/canonical.ts';
import type { Answer, Client } from '../client.ts';
import {
  type ApiState,
  type DownloadExpected,
  type InvalidExpected,
  type ListExpected,
  type RefusalExpected,
  TEXT,
} from '../expected.ts';
import { type ApiRequest, responseRequest, targetFromRequest } from '../routes.ts';
import { compareCsv } from './csv.ts';
import { findDifference, isObject } from './difference.ts';
import { compareBody, type Exchange, send, shortResponse, type Verdict } from './exchange.ts';
import { compareFeed } from './feed.ts';

export async function compareRequest(client: Client, state: ApiState, request: ApiRequest): Promise<Verdict> {
  const exchange: Exchange = { client, state, request };
  const expected = responseRequest(state, request);
  const target = targetFromRequest(request);
  switch (expected.kind) {
    case 'list':
      return compareList(exchange, expected);
    case 'feed':
      return compareFeed(exchange, expected);
    case 'download':
      return compareDownload(exchange, target, expected);
    case 'body': {
      const response = await send(exchange, target);
      return compareBody(exchange, target, response, expected.body) ?? compareCsv(exchange, target, response);
    }
    case 'text':
      return compareText(target, await send(exchange, target), expected.text);
    case 'refusal':
      return compareRefusal(target, await send(exchange, target), expected);
    case 'invalid':
      return compareInvalid(target, await send(exchange, target), expected);
  }
}

/** Reads a list to its end by following its cursors. */
async function compareList(exchange: Exchange, { name, rows, limit, envelope }: ListExpected): Promise<Verdict> {
  let cursor: string | undefined;
  for (let start = 0; start === 0 || start < rows.length; start += limit) {
    const target = targetFromRequest(exchange.request, cursor === undefined ? {} : { cursor });
    const isLast = start + limit >= rows.length;
    const body = { ...envelope, [name]: rows.slice(start, start + limit), next_cursor: isLast ? null : TEXT };
    const response = await send(exchange, target);
    const difference = compareBody(exchange, target, response, body) ?? (await compareCsv(exchange, target, response));
    if (difference !== undefined) return difference;
    cursor = isObject(response.body) ? String(response.body['next_cursor']) : '';
  }
  return undefined;
}

function compareText(target: string, response: Answer, text: string): Verdict {
  const difference = findDifference({ status: 200, text }, { status: response.status, text: response.text }, '(file)');
  return difference && { target, ...difference };
}

/** Compares a signed URL and fetches the file behind it. */
async function compareDownload(
  exchange: Exchange,
  target: string,
  { body, contentSha256 }: DownloadExpected,
): Promise<Verdict> {
  const response = await send(exchange, target);
  const difference = compareBody(exchange, target, response, body);
  if (difference !== undefined || !isObject(response.body)) return difference;
  const file = await exchange.client.download(String(response.body['url']));
  const expected = { status: 200, bytes: response.body['bytes'], sha256: response.body['sha256'], contentSha256 };
  const actual = {
    status: file.status,
    bytes: file.body.length,
    sha256: sha256(file.body),
    contentSha256: file.status === 200 ? sha256(gunzipSync(file.body)) : null,
  };
  const inFile = findDifference(expected, actual, '(file)');
  return inFile && { target, ...inFile };
}

/** Compares answers that say no: the error envelope (specification "Error envelope"). */
function compareRefusal(target: string, response: Answer, { status, code, param }: RefusalExpected): Verdict {
  if (response.status !== status)
    return { target, path: '(status)', expected: status, actual: shortResponse(response) };
  if (status === 405 && response.headers.get('allow') !== 'GET, HEAD') {
    return { target, path: '(header allow)', expected: 'GET, HEAD', actual: response.headers.get('allow') };
  }
  if (response.text === '') return undefined; // a HEAD has no body
  const error = isObject(response.body) && isObject(response.body['error']) ? response.body['error'] : {};
  const known = { code, message: TEXT, ...(param === undefined ? {} : { param }) };
  const actual = Object.fromEntries(Object.keys(known).map((name) => [name, error[name] ?? null]));
  const difference = findDifference(known, actual, 'error');
  return difference && { target, ...difference };
}

/** Compares what is said of parameters (specification "Validation errors"). */
function compareInvalid(target: string, response: Answer, { problems }: InvalidExpected): Verdict {
  if (response.status !== 422) return { target, path: '(status)', expected: 422, actual: shortResponse(response) };
  const detail = isObject(response.body) ? response.body['detail'] : undefined;
  const found = Array.isArray(detail) ? detail.map((problem) => ({ loc: problem.loc, type: problem.type })) : detail;
  const difference = findDifference(problems, found, 'detail');
  return difference && { target, ...difference };
}
