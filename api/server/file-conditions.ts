/**
 * What a client's conditions and its range mean for a file (RFC 9110 §13 and §14): which status it gets, and which bytes.
 * The file's tag is strong: equal tags mean equal bytes, so parts of it may be put together.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { findDate, findMatchingEtag, isUnchangedSince, wholeSecond } from './conditional.ts';

export interface FileFacts {
  /** The strong entity tag, without quotes; undefined where none is known. */
  readonly etag: string | undefined;
  readonly modifiedAt: Date;
  readonly bytes: number;
}

/** From the first byte to the last one, counted from 0, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export type FileReply =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 | 412 | 416 };

/** What to answer to a request with these headers; `HEAD` has no ranges. */
export function replyFor(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  file: FileFacts,
  { now }: { readonly now: Date },
): FileReply {
  if (isFailed(headers, file)) return { status: 412 };
  if (isNotModified(headers, file, now)) return { status: 304 };
  const isRanged = method === 'GET' && isRangeMeant(headers['if-range'], file);
  const range = isRanged ? rangeFrom(headers.range, file.bytes) : undefined;
  if (range === undefined) return { status: 200 };
  return range === 'unsatisfiable' ? { status: 416 } : { status: 206, range };
}

function isFailed(headers: IncomingHttpHeaders, { etag, modifiedAt }: FileFacts): boolean {
  const { 'if-match': ifMatch, 'if-unmodified-since': ifUnmodifiedSince } = headers;
  if (ifMatch !== undefined) return ifMatch.trim() !== '*' && !strongTags(ifMatch).some((tag) => tag === etag);
  // A date that is none is as if it were not there.
  return wholeSecond(modifiedAt) > (findDate(ifUnmodifiedSince) ?? Number.POSITIVE_INFINITY);
}

function isNotModified(headers: IncomingHttpHeaders, { etag, modifiedAt }: FileFacts, now: Date): boolean {
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = headers;
  if (ifNoneMatch === undefined) return isUnchangedSince(ifModifiedSince, modifiedAt, now);
  return ifNoneMatch.trim() === '*' || (etag !== undefined && findMatchingEtag(ifNoneMatch, etag) !== undefined);
}

/**
 * Whether the client wants a part of this very file. A weak tag or a date in `If-Range` names no bytes for sure: then it gets
 * all of it.
 */
function isRangeMeant(ifRange: string | string[] | undefined, { etag }: FileFacts): boolean {
  return ifRange === undefined || strongTags(String(ifRange)).some((tag) => tag === etag);
}

function strongTags(header: string): readonly (string | undefined)[] {
  return header
    .split(',')
    .map((part) => /^"([^"]*)"$/.exec(part.trim())?.[1])
    .filter((tag) => tag !== undefined);
}

/**
 * The range that a `Range` header asks for. Undefined, which is all of the file, where there is none, where it isn't proper,
 * and where there are several: a server may answer so, and nobody can make it send a file in a thousand pieces.
 */
function rangeFrom(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes[ \t]*=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return suffixOf(Number(to), bytes);
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= bytes) return 'unsatisfiable';
  return { first: Number(from), last: to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1) };
}

function suffixOf(length: number, bytes: number): ByteRange | 'unsatisfiable' {
  return length === 0 || bytes === 0 ? 'unsatisfiable' : { first: Math.max(0, bytes - length), last: bytes - 1 };
}
