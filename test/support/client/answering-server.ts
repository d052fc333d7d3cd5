import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { closeServer, listenOnFreePort } from '../processes/servers.ts';

type ResponseRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers what the test says, from before the tests of a file until after them. */
export function useAnsweringServer() {
  let answers: readonly ResponseRequest[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    answer?.(request, response);
  });
  let port: number;
  beforeAll(async () => {
    port = await listenOnFreePort(server);
  });
  beforeEach(() => {
    requests.length = 0;
  });
  afterAll(() => closeServer(server));
  return {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    requests,
    /** How the next requests are answered, one by one; the last one answers all that follow. */
    answer: (...given: readonly ResponseRequest[]) => {
      answers = given;
    },
  };
}

export function json(
  body: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: OutgoingHttpHeaders } = {},
): ResponseRequest {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}
