import type { Socket } from 'node:net';

export interface SendLimits {
  /** How long a client that has an answer coming may take less of it than {@link sendBytesMin}, in milliseconds. */
  readonly sendTimeoutMs: number;
  /** What a client takes at least in each such time, in bytes, while there is more for it. */
  readonly sendBytesMin: number;
}

/** When so much of a connection's answers had gone out. */
interface Mark {
  readonly atMs: number;
  readonly bytes: number;
}

/** As the log tells why an answer was not sent to its end. */
const TOO_SLOW = 'the client took too little of its answers in time';

/** Smaller: needless looks. Larger: a slow reader is found later. A look takes a microsecond a connection. */
const LOOK_MS_MAX = 5_000;

/**
 * Ends connections whose client asks and doesn't read (specification "Connections"): a large answer would wait in memory, or with
 * its file open, for as long as the client likes. What counts is what the client takes, not what it sends; one that is slow but
 * goes on reading gets all of its answer, however long that takes. While the service itself has nothing to send, no time runs.
 */
export class SlowReaders {
  readonly #limits: SendLimits;
  readonly #marks = new Map<Socket, Mark | undefined>();
  readonly #timer: NodeJS.Timeout;

  constructor(limits: SendLimits) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#look(), Math.min(limits.sendTimeoutMs / 4, LOOK_MS_MAX)).unref();
  }

  watch(socket: Socket): void {
    this.#marks.set(socket, undefined);
    socket.once('close', () => this.#marks.delete(socket));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { sendTimeoutMs, sendBytesMin } = this.#limits;
    const atMs = performance.now();
    for (const [socket, mark] of this.#marks) {
      const bytes = bytesTaken(socket);
      if (bytes >= socket.bytesWritten) this.#marks.set(socket, undefined);
      else if (mark === undefined || bytes - mark.bytes >= sendBytesMin) this.#marks.set(socket, { atMs, bytes });
      else if (atMs - mark.atMs >= sendTimeoutMs) socket.destroy(new Error(TOO_SLOW));
    }
  }
}

/** What the operating system has taken of what was written, in bytes: all but what waits in this process. */
function bytesTaken(socket: Socket): number {
  // Where Node's own timeouts look: a large block goes out bit by bit, which nothing public tells before all of it is out.
  const { _bytesDispatched: begun, _handle: handle } = socket as Socket & SocketInside;
  return begun - (handle?.writeQueueSize ?? 0);
}

interface SocketInside {
  readonly _bytesDispatched: number;
  readonly _handle?: { readonly writeQueueSize: number } | null;
}
