/** Entity tags, conditions (RFC 9110 §13) and ranges (§14). */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ResponseHeaders } from './response-headers.ts';

/** The suffix names the compression, because strong tags identify exact bytes. */
const ENCODING_SUFFIX = /-(gzip|br|deflate|zstd)$/;

/** 128 bits of a hash. */
const TAG_LENGTH = 32;

export function etagOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, TAG_LENGTH);
}

export function etagWithEncoding(etag: string, encoding: string): string {
  return etag.endsWith('"') ? `${etag.slice(0, -1)}-${encoding}"` : etag;
}

/** The tag of an `If-None-Match` that names this content in any encoding, quoted and strong. Ignores `*`. */
export function findMatchingEtag(header: string | undefined, etag: string): string | undefined {
  for (const part of (header ?? '').split(',')) {
    const [, quoted] = /^(?:W\/)?"([^"]*)"$/.exec(part.trim()) ?? [];
    if (quoted?.replace(ENCODING_SUFFIX, '') === etag) return `"${quoted}"`;
  }
  return undefined;
}

/** The same for content known to exist, which `*` matches (RFC 9110 §13.1.2). */
export function findTagUnchanged(header: string | undefined, etag: string): string | undefined {
  return header === '*' ? `"${etag}"` : findMatchingEtag(header, etag);
}

/** HTTP dates in their three formats (RFC 9110 §5.6.7). */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:(?:day|sday|nesday|rsday|urday)?, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT| [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

/** Unix milliseconds; undefined if missing or invalid. */
export function findDate(header: string | undefined): number | undefined {
  if (header === undefined || !HTTP_DATE.test(header)) return undefined;
  // The asctime format has no zone; without one it would be read as local time.
  const date = Date.parse(header.endsWith('GMT') ? header : `${header} GMT`);
  return Number.isNaN(date) ? undefined : date;
}

/** Truncated to whole seconds, in Unix milliseconds. */
function wholeSecond(instant: Date): number {
  return Math.floor(instant.getTime() / 1000) * 1000;
}

/** True if the header names this instant or later, but not the future (RFC 9110 §13.1.3). */
export function isUnchangedSince(header: string | undefined, modifiedAt: Date, now: Date): boolean {
  const since = findDate(header);
  return since !== undefined && since <= now.getTime() && wholeSecond(modifiedAt) <= since;
}

/** Headers that describe the client's copy. */
export interface Conditions {
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-modified-since'?: string | undefined;
}

/** Headers of one body in each form; reused objects, so that senders serialize them once. */
export interface Forms {
  /** Without quotes. */
  readonly etag: string;
  readonly plain: ResponseHeaders;
  readonly packed: ResponseHeaders;
  /** For a 304. */
  readonly unchanged: ResponseHeaders;
}

/** @param headers of every form; `Content-Type` is left out of `unchanged` */
export function formsOf(etag: string, { 'Content-Type': type, ...headers }: ResponseHeaders, modifiedAt?: Date): Forms {
  const modified = modifiedAt && { 'Last-Modified': modifiedAt.toUTCString() };
  const unchanged: ResponseHeaders = { ...headers, ...modified, ETag: `"${etag}"`, 'X-Cache': 'HIT' };
  const plain: ResponseHeaders = { ...unchanged, ...(type && { 'Content-Type': type }) };
  const packed = { ...plain, ETag: etagWithEncoding(`"${etag}"`, 'gzip'), 'Content-Encoding': 'gzip' };
  return { etag, plain, packed, unchanged };
}

/** Whether the conditions match, so that the caller has this response (RFC 9110 §13.2.2). */
export function isUnchanged(
  { headers }: { readonly headers?: Conditions },
  { etag, modifiedAt, now }: { readonly etag: string; readonly modifiedAt: Date; readonly now: Date },
): boolean {
  const ifNoneMatch = headers?.['if-none-match'];
  if (ifNoneMatch !== undefined) return findTagUnchanged(ifNoneMatch, etag) !== undefined;
  return isUnchangedSince(headers?.['if-modified-since'], modifiedAt, now);
}

/** The file's properties for conditions and ranges. Equal tags mean equal bytes, so parts can be combined. */
export interface FileFacts {
  /** The strong entity tag without quotes; undefined if unknown. */
  readonly etag: string | undefined;
  readonly modifiedAt: Date;
  readonly bytes: number;
}

/** Zero-based and inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export type FileReply =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 | 412 | 416 };

/** The reply to these headers; `HEAD` ignores ranges. */
export function replyFor(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  file: FileFacts,
  { now }: { readonly now: Date },
): FileReply {
  if (isFailed(headers, file)) return { status: 412 };
  if (isNotModified(headers, file, now)) return { status: 304 };
  const isRanged = method === 'GET' && isRangeApplicable(headers['if-range'], file);
  const range = isRanged ? rangeFrom(headers.range, file.bytes) : undefined;
  if (range === undefined) return { status: 200 };
  return range === 'unsatisfiable' ? { status: 416 } : { status: 206, range };
}

function isFailed(headers: IncomingHttpHeaders, { etag, modifiedAt }: FileFacts): boolean {
  const { 'if-match': ifMatch, 'if-unmodified-since': ifUnmodifiedSince } = headers;
  if (ifMatch !== undefined) return ifMatch.trim() !== '*' && !strongTags(ifMatch).some((tag) => tag === etag);
  // Invalid dates are ignored.
  return wholeSecond(modifiedAt) > (findDate(ifUnmodifiedSince) ?? Number.POSITIVE_INFINITY);
}

function isNotModified(headers: IncomingHttpHeaders, { etag, modifiedAt }: FileFacts, now: Date): boolean {
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = headers;
  if (ifNoneMatch === undefined) return isUnchangedSince(ifModifiedSince, modifiedAt, now);
  return ifNoneMatch.trim() === '*' || (etag !== undefined && findMatchingEtag(ifNoneMatch, etag) !== undefined);
}

/** A weak tag or a date in `If-Range` doesn't identify bytes, so the whole file is sent. */
function isRangeApplicable(ifRange: string | string[] | undefined, { etag }: FileFacts): boolean {
  return ifRange === undefined || strongTags(String(ifRange)).some((tag) => tag === etag);
}

function strongTags(header: string): readonly (string | undefined)[] {
  return header
    .split(',')
    .map((part) => /^"([^"]*)"$/.exec(part.trim())?.[1])
    .filter((tag) => tag !== undefined);
}

/**
 * The requested range; undefined (the whole file) if missing, invalid or more than one, as a server may do; multiple
 * ranges would allow a thousand pieces.
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
