/** Entity tags, and what a client's conditions mean for an answer (RFC 9110 §13); below, conditions and ranges of files (§14). */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ResponseHeaders } from './response-headers.ts';

/**
 * An entity tag here is the text between the quotes; behind it may stand how the body
 * was compressed, because a strong tag names the very bytes.
 */
const ENCODING_SUFFIX = /-(gzip|br|deflate|zstd)$/;

/** Hex digits of a tag: 128 bits of a hash. */
const TAG_LENGTH = 32;

/** The tag that tells one content from another. */
export function etagOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, TAG_LENGTH);
}

/** The tag of a compressed answer. */
export function etagWithEncoding(etag: string, encoding: string): string {
  return etag.endsWith('"') ? `${etag.slice(0, -1)}-${encoding}"` : etag;
}

/**
 * The tag of an `If-None-Match` that names this answer in whatever encoding, as it is quoted there and strong; undefined
 * where none does. `*` is for the caller to judge.
 */
export function findMatchingEtag(header: string | undefined, etag: string): string | undefined {
  for (const part of (header ?? '').split(',')) {
    const [, quoted] = /^(?:W\/)?"([^"]*)"$/.exec(part.trim()) ?? [];
    if (quoted?.replace(ENCODING_SUFFIX, '') === etag) return `"${quoted}"`;
  }
  return undefined;
}

/** The same for an answer that is known to be there: `*` names it, whatever its tag is (RFC 9110 §13.1.2). */
export function findTagUnchanged(header: string | undefined, etag: string): string | undefined {
  return header === '*' ? `"${etag}"` : findMatchingEtag(header, etag);
}

/** A date as HTTP writes it, in any of its three forms (RFC 9110 §5.6.7); everything else is no date. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:(?:day|sday|nesday|rsday|urday)?, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT| [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

/** The date of a header, in Unix milliseconds; undefined where there is none or it is not proper. */
export function findDate(header: string | undefined): number | undefined {
  if (header === undefined || !HTTP_DATE.test(header)) return undefined;
  // The form of C's asctime names no zone, and would be read in the server's own.
  const date = Date.parse(header.endsWith('GMT') ? header : `${header} GMT`);
  return Number.isNaN(date) ? undefined : date;
}

/** An instant as HTTP writes it, in whole seconds; Unix milliseconds. */
function wholeSecond(instant: Date): number {
  return Math.floor(instant.getTime() / 1000) * 1000;
}

/**
 * True where an `If-Modified-Since` names this instant or a later one that is not in the future, which no answer can have said
 * (RFC 9110 §13.1.3).
 */
export function isUnchangedSince(header: string | undefined, modifiedAt: Date, now: Date): boolean {
  const since = findDate(header);
  return since !== undefined && since <= now.getTime() && wholeSecond(modifiedAt) <= since;
}

/** The headers by which a client says what it has. */
export interface Conditions {
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-modified-since'?: string | undefined;
}

/** The headers of one body in each form; the same objects each time, so that senders look at them once. */
export interface Forms {
  /** Without quotes. */
  readonly etag: string;
  readonly plain: ResponseHeaders;
  readonly packed: ResponseHeaders;
  /** Of a 304. */
  readonly unchanged: ResponseHeaders;
}

/** @param headers what each form has; those that only a body has are left out of `unchanged` */
export function formsOf(etag: string, { 'Content-Type': type, ...headers }: ResponseHeaders, modifiedAt?: Date): Forms {
  const modified = modifiedAt && { 'Last-Modified': modifiedAt.toUTCString() };
  const unchanged: ResponseHeaders = { ...headers, ...modified, ETag: `"${etag}"`, 'X-Cache': 'HIT' };
  const plain: ResponseHeaders = { ...unchanged, ...(type && { 'Content-Type': type }) };
  const packed = { ...plain, ETag: etagWithEncoding(`"${etag}"`, 'gzip'), 'Content-Encoding': 'gzip' };
  return { etag, plain, packed, unchanged };
}

/** Whether the conditions of a request say that the caller has this response (RFC 9110 §13.2.2). */
export function isUnchanged(
  { headers }: { readonly headers?: Conditions },
  { etag, modifiedAt, now }: { readonly etag: string; readonly modifiedAt: Date; readonly now: Date },
): boolean {
  const ifNoneMatch = headers?.['if-none-match'];
  if (ifNoneMatch !== undefined) return findTagUnchanged(ifNoneMatch, etag) !== undefined;
  return isUnchangedSince(headers?.['if-modified-since'], modifiedAt, now);
}

/** What conditions and a range are judged by. The tag is strong: equal tags mean equal bytes, so parts of a file may be put together. */
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
