import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Server, Server as SocketServer } from 'node:net';

const UNSENT = new WeakMap<Server, UnsentAnswers>();

/** The answers of a server that the operating system has not taken whole. */
export class UnsentAnswers {
  readonly #answers = new Set<ServerResponse>();

  add(answer: ServerResponse): void {
    this.#answers.add(answer);
    answer.once('close', () => this.#answers.delete(answer));
  }

  /** Has {@link finishAnswers} wait for these. */
  belongTo(server: Server): void {
    UNSENT.set(server, this);
  }

  async sent(): Promise<void> {
    while (this.#answers.size > 0) await Promise.all([...this.#answers].map((answer) => once(answer, 'close')));
  }
}

/**
 * Takes no further connections, and resolves once every answer is sent, or its connection has ended: what comes before a server is
 * closed. Node counts an answer as sent once it is written, and would cut off whoever reads more slowly than that.
 */
export async function finishAnswers(server: Server): Promise<void> {
  SocketServer.prototype.close.call(server); // What an HTTP server's own `close` does beside this would cut answers off.
  await UNSENT.get(server)?.sent();
}
