import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Answers that are not sent to their end, in the order of their requests. */
  readonly unfinished: Set<ServerResponse>;
  /** Whether the last request was taken that it will be answered. */
  isFull: boolean;
}

/**
 * The answers of each connection that are not finished.
 *
 * - One is sent at a time and the others wait, with whatever they hold: memory, a file, a running query. Beyond so many the
 *   connection takes no more requests: the last one's answer says `Connection: close`, and those behind it get none, which a
 *   client that sends requests ahead has to reckon with (RFC 9112 §9.3.2).
 * - When the connection ends, all of them end. Node closes only the one that was being sent, and before version 24 left the
 *   streams of the others open for ever.
 */
export class WaitingAnswers {
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #pipelinedMax: number;

  constructor({ pipelinedMax }: { readonly pipelinedMax: number }) {
    this.#pipelinedMax = pipelinedMax;
  }

  /**
   * True where the request may be handled; false where it is not to be answered.
   *
   * @param isLast whether no request can follow it whatever the limit
   */
  take({ socket }: IncomingMessage, response: ServerResponse, { isLast }: { readonly isLast: boolean }): boolean {
    const connection = this.#connectionOf(socket);
    if (connection.isFull) return false;
    const { unfinished } = connection;
    unfinished.add(response);
    response.once('close', () => unfinished.delete(response));
    if (isLast || unfinished.size > this.#pipelinedMax) {
      connection.isFull = true;
      response.shouldKeepAlive = false;
    }
    return true;
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { unfinished: new Set(), isFull: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      for (const response of connection.unfinished) close(response);
    });
    return connection;
  }
}

/** As Node closes the answer that is being sent when its connection ends: whoever listens, or asks later, learns of it. */
function close(response: ServerResponse): void {
  if (response.closed) return;
  const inside = response as ServerResponse & { _closed: boolean }; // Behind `closed`; there is no other way to set it.
  response.destroyed = true;
  inside._closed = true;
  response.emit('close');
}
