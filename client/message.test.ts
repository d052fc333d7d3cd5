/** Servers that answer more than anybody wants: whatever is read ends at a limit, and the connection with it. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { json, useAnsweringServer } from '../test/support/client/answering-server.ts';
import { drip, packedBlanks, sendForEver } from '../test/support/client/endless.ts';
import { QUICK } from '../test/support/client/service.ts';
import { ModelstatsClient } from './client.ts';
import { type ClientOptions, ClientSettingsSchema } from './client-settings.ts';
import { postMessage } from './message.ts';

const server = useAnsweringServer();

/** Sends the head of an answer, then what a body is made of. */
function answer(status: number, headers: Readonly<Record<string, string>>, send: (response: ServerResponse) => void) {
  server.answer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    send(response);
  });
}

const optionsOf = (options: Partial<ClientOptions>) => ({
  ...QUICK,
  url: server.url,
  key: 'k',
  attemptsMax: 2,
  ...options,
});

/** Who asks: a typed call, as `sync` does, and the bridge of `mcp --stdio`. */
const ASKERS = {
  'a typed call': (options: Partial<ClientOptions> = {}) => new ModelstatsClient(optionsOf(options)).listModels(),
  'the bridge': (options: Partial<ClientOptions> = {}) =>
    postMessage(
      { text: '{}', id: 1, method: 'ping', params: {} },
      { settings: ClientSettingsSchema.parse(optionsOf(options)), version: undefined },
    ),
} as const;

test('unless it is told otherwise, an answer may have 32 MiB', async () => {
  answer(200, {}, (response) => sendForEver(response, Buffer.alloc(1 << 20, ' ')));
  await expect(new ModelstatsClient(optionsOf({})).listModels()).rejects.toThrow(`larger than ${32 << 20} bytes`);
});

const PACKED = { 'content-encoding': 'gzip' };
const packedTwice = gzipSync(packedBlanks(2));
const empty = gzipSync('');

describe.each(Object.entries(ASKERS))('%s', (_asker, ask) => {
  test.each([
    ['that has no end', {}, (response: ServerResponse) => sendForEver(response, '{"a":"'.padEnd(10_000, 'x'))],
    ['that unpacks to a thousand times its size', PACKED, (response: ServerResponse) => response.end(packedBlanks(2))],
    [
      'that is packed twice',
      { 'content-encoding': 'gzip, gzip' },
      (response: ServerResponse) => response.end(packedTwice),
    ],
  ] as const)('refuses an answer %s, once, and names the setting', async (_kind, headers, send) => {
    answer(200, headers, send);
    await expect(ask({ answerBytesMax: 100_000 })).rejects.toMatchObject({
      name: 'AnswerTooLargeError',
      code: 'answer_too_large',
      status: 200,
      message: expect.stringMatching(
        /127\.0\.0\.1:\d+\/\S+ is larger than 100000 bytes: increase answerBytesMax or MODELSTATS_CLIENT_ANSWER_BYTES_MAX to allow more/,
      ),
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [404, {}, (response: ServerResponse) => sendForEver(response, 'no '.repeat(1000))],
    [500, PACKED, (response: ServerResponse) => response.end(packedBlanks(2))],
    [503, {}, (response: ServerResponse) => sendForEver(response, '<html>')],
  ] as const)('reads the beginning of what a refusal says: %d', async (status, headers, send) => {
    answer(status, headers, send);
    await expect(ask()).rejects.toMatchObject({ status, code: `http_${status}` });
  });

  test.each([
    ['body', (response: ServerResponse) => drip(response.writeHead(200), ' ')],
    ['body of a refusal', (response: ServerResponse) => drip(response.writeHead(500), ' ')],
    ['packed body that unpacks to nothing', (response: ServerResponse) => drip(response.writeHead(200, PACKED), empty)],
    ['head that never ends', (response: ServerResponse) => drip(response, '')],
  ] as const)('waits for a %s no longer than for any answer', async (_kind, send) => {
    server.answer((_, response) => send(response));
    await expect(ask({ timeoutMs: 100, attemptsMax: 1 })).rejects.toMatchObject({
      code: 'no_answer',
      message: expect.stringContaining('no response within 100 ms'),
    });
  });

  test('refuses a head that is too large', async () => {
    answer(200, { 'x-a': 'a'.repeat(17_000) }, (response) => response.end('{}'));
    await expect(ask({ attemptsMax: 1 })).rejects.toMatchObject({ code: 'no_answer' });
  });

  test('refuses lists that lie in each other deeper than any answer', async () => {
    const deep = `{"jsonrpc":"2.0","result":${'['.repeat(9_000)}${']'.repeat(9_000)}}`;
    answer(200, {}, (response) => response.end(deep));
    await expect(ask({ attemptsMax: 1 })).rejects.toThrow('the response is nested more than 64 levels deep');
  });
});

test('an answer of exactly as many bytes as are allowed is taken, and says how many it has', async () => {
  const body = { models: [{ id: 'é'.repeat(600) }] };
  const size = Buffer.byteLength(JSON.stringify(body));
  server.answer(json(body));
  const client = (answerBytesMax: number) => new ModelstatsClient(optionsOf({ answerBytesMax }));
  expect(await client(size).listModels()).toMatchObject({ body, bytes: size });
  await expect(client(size - 1).listModels()).rejects.toMatchObject({ code: 'answer_too_large' });
});
