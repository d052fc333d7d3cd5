import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Server, Server as SocketServer } from 'node:net';

/**
 * The answers that the operating system has not taken whole. Node counts one as sent once it is written: when a server closes, it would
 * cut off whoever reads more slowly than that.
 */
export class UnsentAnswers {
  readonly #answers = new Set<ServerResponse>();

  add(answer: ServerResponse): void {
    this.#answers.add(answer);
    answer.once('close', () => this.#answers.delete(answer));
  }

  /** Takes no further connections, and resolves once every answer is sent, or its connection has ended. */
  async finish(server: Server): Promise<void> {
    SocketServer.prototype.close.call(server); // What an HTTP server's own `close` does beside this would cut answers off.
    while (this.#answers.size > 0) await Promise.all([...this.#answers].map((answer) => once(answer, 'close')));
  }
}
