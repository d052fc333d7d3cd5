import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** All that came, this answer included. */
  readonly all: string;
}

/** The head of a request, and a body where there is one. */
export function requestText(
  target: string,
  headers: Readonly<Record<string, string>>,
  { method = 'GET', body = '' }: { readonly method?: string; readonly body?: string } = {},
): string {
  const lines = Object.entries({ Host: 'api.test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Sends bytes as they are and waits until the server ends the connection, or for `quietMs` after the last byte that came:
 * what isn't HTTP, or no client would send. Answers with the first response.
 */
export async function sendRaw(
  port: number,
  text: string | Buffer | readonly (string | Buffer)[],
  quietMs = 300,
): Promise<RawResponse> {
  const all = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of Array.isArray(text) ? text : [text]) socket.write(part);
    });
    const done = () => resolve(Buffer.concat(chunks).toString('latin1'));
    socket.setTimeout(10_000);
    socket.on('timeout', () => (chunks.length > 0 ? socket.destroy() : reject(new Error('no answer'))));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      socket.setTimeout(quietMs);
    });
    socket.on('error', (error) => (chunks.length > 0 ? done() : reject(error)));
    socket.on('close', done);
  });
  return { ...parseResponse(all), all };
}

/** Connects and sends, without reading what comes back; the connection ends with the test at the latest. */
export async function sendUnread(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(text);
  return socket;
}

function parseResponse(all: string): Omit<RawResponse, 'all'> {
  const end = all.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = all.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length'] ?? all.length);
  return { status: Number(statusLine.split(' ')[1]), headers, body: all.slice(end + 4, end + 4 + length) };
}
