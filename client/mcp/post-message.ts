import type { ClientSettings } from '../client-settings.ts';
import { parseAnswer, readErrorText, readText } from '../read-body.ts';
import { errorFromAnswer } from '../read-error.ts';
import { type SendDeps, send } from '../send.ts';
import type { Message, MessageId } from './message.ts';

export interface PostOptions extends Pick<SendDeps, 'signal' | 'onRetry'> {
  readonly settings: ClientSettings;
  /** The version that the client and the service agreed on, where the message doesn't say it itself. */
  readonly version: string | undefined;
}

/**
 * Sends a message to the service until it is answered, as every call is ({@link send}), and gives the messages of the answer, a line
 * each; none for what needs no answer. Refusals in the words of the protocol are answers; any other rejects with a ClientError.
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

/** Where a request says which version it speaks: only revisions from 2026-07-28 on do. */
const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion';

/** What of a message has to stand in the headers as well, by method. */
const NAME_FIELDS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** What the protocol says in headers over HTTP, and in the message alone over other ways. */
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

/** A text as a header may have it: other than plain ASCII it is wrapped, as the protocol says. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The messages of an answer, which is JSON or a stream of events. What can't be read is thrown, and counts as no answer. */
async function readMessages(
  response: Response,
  id: MessageId | undefined,
  { answerBytesMax }: Pick<ClientSettings, 'answerBytesMax'>,
): Promise<readonly string[]> {
  const { status, headers } = response;
  const text = response.ok ? (await readText(response, answerBytesMax)).text : await readErrorText(response);
  if (status >= 500 || status === 429) throw errorFromAnswer(status, headers, text);
  if (response.ok && text === '') return [];
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  try {
    return (isStream ? eventsIn(text) : [text]).map((body) => lineFrom(body, id));
  } catch (error) {
    throw response.ok ? error : errorFromAnswer(status, headers, text);
  }
}

/** The data of each event that has some. */
function eventsIn(stream: string): readonly string[] {
  const events = stream.split(/\r?\n\r?\n/).map((event) => {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    return lines.map((line) => line.replace(/^data: ?/, '')).join('\n');
  });
  return events.filter((data) => data !== '');
}

/** A message as one line. A refusal that names no request is that of the one that was sent. */
function lineFrom(text: string, id: MessageId | undefined): string {
  const message: Readonly<Record<string, unknown>> = Object(parseAnswer(text));
  if (message['jsonrpc'] !== '2.0') throw new SyntaxError('the answer is no message of MCP');
  if ('error' in message && (message['id'] ?? undefined) === undefined && id !== undefined) {
    return JSON.stringify({ ...message, id });
  }
  return text.includes('\n') ? JSON.stringify(message) : text;
}
