/**
 * MCP messages (JSON-RPC 2.0, one per line), as far as the bridge must know them; their text is passed on unchanged.
 */

import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { ClientSettings } from './client-settings.ts';
import type { ClientError } from './errors.ts';
import { errorFromResponse, parseResponse, readErrorText, readText } from './read-response.ts';
import { type SendDeps, send } from './send.ts';

const IdSchema = z.union([z.string(), z.number()]);
export type MessageId = z.infer<typeof IdSchema>;

const MessageSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: IdSchema.optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

export interface Message {
  readonly text: string;
  /** With a method: a request, which needs a response. */
  readonly id: MessageId | undefined;
  /** Undefined: a response. */
  readonly method: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const INTERNAL_ERROR = -32_603;

/** Parses a message, or returns the error code. */
export function messageFrom(text: string): Message | typeof PARSE_ERROR | typeof INVALID_REQUEST {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return PARSE_ERROR;
  }
  const { data } = MessageSchema.safeParse(json);
  return data === undefined ? INVALID_REQUEST : { text, id: data.id, method: data.method, params: data.params ?? {} };
}

/** Without an id if the request is unknown. */
export function failure(id: MessageId | undefined, code: number, message: string, data?: object): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: id ?? null,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}

/** The error envelope's fields; JSON omits undefined ones. */
export function errorData(error: ClientError): object {
  const { code, status, param, request_id, help_url, limit_type, limit_scope, retry_after_seconds, reset_at } = error;
  return { code, status, param, request_id, help_url, limit_type, limit_scope, retry_after_seconds, reset_at };
}

export interface PostOptions extends Pick<SendDeps, 'signal' | 'onRetry'> {
  readonly settings: ClientSettings;
  /** The negotiated version, for messages that don't state it. */
  readonly version: string | undefined;
}

/**
 * Sends a message like any call ({@link send}) and returns the messages of the response, one per line; none for a
 * notification. JSON-RPC errors are responses; others reject with a ClientError.
 */
export function postMessage(
  message: Message,
  { settings, version, signal, onRetry }: PostOptions,
): Promise<readonly string[]> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${settings.key}`,
    ...protocolHeaders(message, version),
  };
  const outgoing = { url: `${settings.url}/mcp`, headers, body: message.text };
  return send(outgoing, (response) => readMessages(response, message.id, settings), { settings, signal, onRetry });
}

/** In requests of revisions from 2026-07-28 on. */
const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion';

/** The parameter that `Mcp-Name` repeats, by method. */
const NAME_FIELDS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Headers that the protocol requires over HTTP. */
function protocolHeaders({ method, params }: Message, agreed: string | undefined): Readonly<Record<string, string>> {
  const version = Object(params['_meta'])[VERSION_FIELD];
  if (typeof version !== 'string' || method === undefined) {
    return agreed === undefined || method === 'initialize' ? {} : { 'MCP-Protocol-Version': agreed };
  }
  const name = params[NAME_FIELDS[method] ?? ''];
  return {
    'MCP-Protocol-Version': headerValue(version),
    'Mcp-Method': headerValue(method),
    ...(typeof name === 'string' ? { 'Mcp-Name': headerValue(name) } : {}),
  };
}

/** Text other than plain ASCII is encoded as the protocol specifies. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Reads JSON or an event stream. What can't be parsed is thrown and counts as no response. */
async function readMessages(
  response: Response,
  id: MessageId | undefined,
  { answerBytesMax }: Pick<ClientSettings, 'answerBytesMax'>,
): Promise<readonly string[]> {
  const { status, headers } = response;
  const text = response.ok ? (await readText(response, answerBytesMax)).text : await readErrorText(response);
  if (status >= 500 || status === 429) throw errorFromResponse(status, headers, text);
  if (response.ok && text === '') return [];
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  try {
    return (isStream ? eventsIn(text) : [text]).map((body) => lineFrom(body, id));
  } catch (error) {
    throw response.ok ? error : errorFromResponse(status, headers, text);
  }
}

function eventsIn(stream: string): readonly string[] {
  const events = stream.split(/\r?\n\r?\n/).map((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    return lines.map((line) => line.replace(/^data: ?/, '')).join('\n');
  });
  return events.filter((data) => data !== '');
}

/** A message as one line. An error without an id belongs to the request that was sent. */
function lineFrom(text: string, id: MessageId | undefined): string {
  const message: Readonly<Record<string, unknown>> = Object(parseResponse(text));
  if (message['jsonrpc'] !== '2.0') throw new SyntaxError('the response is not an MCP message');
  if ('error' in message && (message['id'] ?? undefined) === undefined && id !== undefined) {
    return JSON.stringify({ ...message, id });
  }
  return text.includes('\n') ? JSON.stringify(message) : text;
}

export interface ReadOptions {
  /** Longer lines are dropped. */
  readonly charactersMax: number;
  readonly signal: AbortSignal;
}

/** The non-blank lines of a stream; undefined for a line that is too long. */
export async function* readLines(
  input: Readable,
  { charactersMax, signal }: ReadOptions,
): AsyncGenerator<string | undefined, void> {
  const lines = new Lines(charactersMax);
  const stop = () => input.destroy();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  input.setEncoding('utf8');
  try {
    for await (const chunk of input) yield* lines.endedBy(String(chunk));
    yield* lines.endedBy('\n');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

class Lines {
  readonly #charactersMax: number;
  #begun = '';
  #isTooLong = false;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  *endedBy(chunk: string): Generator<string | undefined, void> {
    const parts = chunk.split('\n');
    for (const [index, part] of parts.entries()) {
      this.#grow(part);
      if (index === parts.length - 1) return;
      if (this.#isTooLong) yield undefined;
      else if (this.#begun.trim() !== '') yield this.#begun;
      [this.#begun, this.#isTooLong] = ['', false];
    }
  }

  #grow(part: string): void {
    this.#isTooLong ||= this.#begun.length + part.length > this.#charactersMax;
    this.#begun = this.#isTooLong ? '' : this.#begun + part;
  }
}
