import { once } from 'node:events';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type Server, type Socket, Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionSettings } from './settings.ts';

/** The largest head of a request, URL included. */
const HEAD_BYTES_MAX = 16 * 1024;
/** Node looks for requests that are late this often; its own 30 seconds would double most limits. */
const CHECK_MS_MAX = 5_000;

/**
 * Node's server, in which no client can hold more than its share: a limit for each thing that may be slow or many, and nothing
 * that was begun for a connection outlives it. Requests go to `handler`.
 */
export function createHttpServer(handler: RequestListener, settings: ConnectionSettings): HttpServer {
  const { requestTimeoutMs, keepAliveTimeoutMs, pipelinedMax } = settings;
  const headersTimeoutMs = Math.min(settings.headersTimeoutMs, requestTimeoutMs);
  const waiting = new WaitingResponses({ pipelinedMax });
  const unsent = new UnsentResponses();
  const server = createServer(
    {
      // Node would answer a missing Host itself, without a body.
      requireHostHeader: false,
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(headersTimeoutMs, CHECK_MS_MAX),
    },
    (request, response) => {
      if (!waiting.take(request, response, { isLast: asksForUpgrade(request) })) return;
      unsent.add(response);
      handler(request, response);
    },
  );
  unsent.belongTo(server);
  // Beyond a number Node would leave headers out without a word; the size of the head bounds them, and the request's checks.
  server.maxHeadersCount = 0;
  const slowReaders = new SlowReaders(settings);
  server.on('connection', (socket) => slowReaders.watch(socket));
  server.on('close', () => slowReaders.stop());
  return server;
}

/**
 * Whether a client would rather speak another protocol. It is answered in this one (RFC 9110 §7.8), but Node reads no further
 * request behind it: it takes what follows for the other protocol.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection ?? '');
}

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

/**
 * A block has at most so many times the timeout, however large it is. Larger: pages of the feed wait in memory for clients that do not
 * read. Smaller: a line that is slow, but that takes what is asked for, loses what it reads as fast as it can.
 */
const BLOCK_TIMEOUTS_MAX = 4;

/** Smaller: needless checks. Larger: a slow reader is found later. A check takes a microsecond a connection. */
const CHECK_SENT_MS_MAX = 5_000;

/**
 * Ends connections whose client asks and doesn't read (specification "Connections"): a large answer would wait in memory, or with
 * its file open, for as long as the client likes. What counts is what the client takes, not what it sends; one that is slow but
 * goes on reading gets all of its answer, however long that takes. While the service itself has nothing to send, no time runs.
 *
 * Node tells of a block that was written once all of it is out, so a block has the time in which a client may take so much, but no
 * more than {@link BLOCK_TIMEOUTS_MAX} times the usual (decision 0035).
 */
class SlowReaders {
  readonly #limits: SendLimits;
  readonly #marks = new Map<Socket, Mark | undefined>();
  readonly #timer: NodeJS.Timeout;

  constructor(limits: SendLimits) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#check(), Math.min(limits.sendTimeoutMs / 4, CHECK_SENT_MS_MAX)).unref();
  }

  watch(socket: Socket): void {
    this.#marks.set(socket, undefined);
    socket.once('close', () => this.#marks.delete(socket));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { sendTimeoutMs, sendBytesMin } = this.#limits;
    const atMs = performance.now();
    for (const [socket, mark] of this.#marks) {
      const waiting = socket.writableLength;
      const bytes = socket.bytesWritten - waiting;
      const timeoutMs = sendTimeoutMs * Math.min(Math.max(1, waiting / sendBytesMin), BLOCK_TIMEOUTS_MAX);
      if (waiting === 0) this.#marks.set(socket, undefined);
      else if (mark === undefined || bytes - mark.bytes >= sendBytesMin) this.#marks.set(socket, { atMs, bytes });
      else if (atMs - mark.atMs >= timeoutMs) socket.destroy(new Error(TOO_SLOW));
    }
  }
}

interface Connection {
  /** Answers that are not sent to their end, in the order of their requests. */
  readonly unfinished: Set<ServerResponse>;
  /** Whether the last request was taken that it will be answered. */
  isFull: boolean;
}

const CONNECTIONS = new WeakMap<Duplex, Connection>();

/** The earliest answer of a connection that is not sent to its end. */
export function findUnsentResponse(socket: Duplex): ServerResponse | undefined {
  return [...(CONNECTIONS.get(socket)?.unfinished ?? [])].find(({ writableFinished }) => !writableFinished);
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
class WaitingResponses {
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
    const known = CONNECTIONS.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { unfinished: new Set(), isFull: false };
    CONNECTIONS.set(socket, connection);
    socket.once('close', () => {
      for (const response of connection.unfinished) close(response);
    });
    return connection;
  }
}

/** As Node closes the answer that is being sent when its connection ends: whoever listens, or asks later, learns of it. */
function close(response: ServerResponse): void {
  if (response.closed) return;
  response.destroyed = true;
  Object.defineProperty(response, 'closed', { value: true });
  response.emit('close');
}

const UNSENT = new WeakMap<Server, UnsentResponses>();

/** The answers of a server that the operating system has not taken whole. */
class UnsentResponses {
  readonly #answers = new Set<ServerResponse>();

  add(answer: ServerResponse): void {
    this.#answers.add(answer);
    answer.once('close', () => this.#answers.delete(answer));
  }

  /** Has {@link finishResponses} wait for these. */
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
export async function finishResponses(server: Server): Promise<void> {
  SocketServer.prototype.close.call(server); // What an HTTP server's own `close` does beside this would cut answers off.
  await UNSENT.get(server)?.sent();
}
