import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly bodyBytes: number;
}

/**
 * One keep-alive connection that sends a request, waits for the whole answer, and only counts its bytes. Node's own HTTP
 * client takes more processor time for a request than bare Fastify does, so it would measure itself.
 */
export class LoadConnection {
  readonly #socket: Socket;
  #head = '';
  #status = 0;
  #bodyBytes = 0;
  /** Bytes of the body still to come; undefined while the head is read. */
  #missing: number | undefined;
  #settle: { resolve: (response: Answer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')));
  }

  static async open(origin: URL): Promise<LoadConnection> {
    const socket = connect({ host: origin.hostname, port: Number(origin.port) });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new LoadConnection(socket);
  }

  /** @param request the bytes of a whole request */
  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#missing === undefined) {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf(HEAD_END);
      if (end === -1) return;
      if (/\r\ntransfer-encoding: chunked/i.test(this.#head)) {
        // Its bytes are counted with the lengths of the chunks. What comes last can't be in JSON, which has no line breaks here.
        if (!this.#head.endsWith(LAST_CHUNK)) return;
        this.#settle?.resolve({ status: statusOf(this.#head), bodyBytes: this.#head.length - end });
        this.#head = '';
        return;
      }
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1];
      this.#status = statusOf(this.#head);
      if (length === undefined && this.#status !== 304)
        throw new Error(`an answer without its length: ${this.#head.slice(0, end)}`);
      this.#bodyBytes = Number(length ?? 0);
      this.#missing = this.#bodyBytes - (this.#head.length - end - HEAD_END.length);
      this.#head = '';
    } else {
      this.#missing -= chunk.length;
    }
    if (this.#missing > 0) return;
    this.#missing = undefined;
    this.#settle?.resolve({ status: this.#status, bodyBytes: this.#bodyBytes });
  }
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

function statusOf(head: string): number {
  return Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
}
