import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnFreePort } from '../processes/servers.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a receiver answers: a status, now or once the promise resolves. */
export type Answer = (received: Received) => number | Promise<number>;

/** A receiver of webhooks on this machine, which keeps what it was sent. */
export class Receiver {
  readonly received: Received[] = [];
  readonly #server: Server;
  url = '';

  private constructor(answer: Answer) {
    this.#server = createServer(async (request, response) => {
      try {
        const received = { headers: request.headers, body: await text(request) };
        this.received.push(received);
        response.statusCode = await answer(received);
        response.end('thanks');
      } catch {
        response.destroy(); // The sender went away.
      }
    });
  }

  static async start(answer: Answer = () => 204): Promise<Receiver> {
    const receiver = new Receiver(answer);
    receiver.url = `http://127.0.0.1:${await listenOnFreePort(receiver.#server)}/hook`;
    return receiver;
  }

  get deliveries(): readonly string[] {
    return this.received.map(({ headers }) => String(headers['x-service-delivery']));
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }
}
