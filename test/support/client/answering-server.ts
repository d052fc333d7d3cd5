import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of a test file that answers what the test says. */
export interface AnsweringServer {
  readonly url: string;
  /** What it was asked, in order. */
  readonly requests: readonly IncomingMessage[];
  /** How the next requests are answered, one by one; the last one answers all that follow. */
  answer(...answers: readonly AnswerRequest[]): void;
}

/** Starts one before the tests of a file, and closes it after them. */
export function useAnsweringServer(): AnsweringServer {
  let answers: readonly AnswerRequest[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    answer?.(request, response);
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    requests.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(resolve));
  });
  return {
    get url() {
      const { port } = server.address() as AddressInfo; // It listens on a port.
      return `http://127.0.0.1:${port}`;
    },
    requests,
    answer: (...given) => {
      answers = given;
    },
  };
}

/** Answers with JSON. */
export function json(body: unknown, { status = 200, headers = {} }: JsonOptions = {}): AnswerRequest {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export interface JsonOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
