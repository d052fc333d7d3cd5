import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers what the test says, from before the tests of a file until after them. */
export function useAnsweringServer() {
  let answers: readonly AnswerRequest[] = [];
  /** What it was asked, in order. */
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
    /** How the next requests are answered, one by one; the last one answers all that follow. */
    answer: (...given: readonly AnswerRequest[]) => {
      answers = given;
    },
  };
}

/** Answers with JSON. */
export function json(
  body: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: OutgoingHttpHeaders } = {},
): AnswerRequest {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}
