import type { Dispatcher } from 'undici';
import { faultFrom, OutboundFault } from './outbound-fault.ts';

export type OutboundHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ExchangeOptions {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** For everything of which this exchange may be a part. */
  readonly timeoutMs: number;
  /** What is left of it. */
  readonly leftMs: number;
  readonly answerBytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Exchanged {
  readonly status: number;
  readonly headers: OutboundHeaders;
  readonly body: Buffer;
  readonly isCut: boolean;
}

/** What became of one request: an answer, or why there is none and the status if that much had arrived. */
export type ExchangeResult = Exchanged | { readonly fault: OutboundFault; readonly status: number | undefined };

/**
 * One request and its answer. Resolves when the answer is whole, or cut, or when the time is over, wherever the request is then:
 * waiting for a connection, which it never gets any more, or under way, whose connection is closed. Rejects for what is no doing of
 * the network: an aborted `signal`, with its reason, or options that are wrong.
 */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions): Promise<ExchangeResult> {
  const { method, url, headers, body = null } = options;
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(options, { resolve, reject });
    const target = { origin: url.origin, path: url.pathname + url.search, method, headers, body };
    // The one deadline replaces the client's own, which would each begin anew.
    dispatcher.dispatch({ ...target, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
}

interface Ends {
  readonly resolve: (result: ExchangeResult) => void;
  readonly reject: (reason: unknown) => void;
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #ends: Ends;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status: number | undefined;
  #headers: OutboundHeaders = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(options: ExchangeOptions, ends: Ends) {
    this.#options = options;
    this.#ends = ends;
    this.#timer = setTimeout(() => this.#giveUp(), options.leftMs);
    options.signal?.addEventListener('abort', this.#onAbort);
    if (options.signal?.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('over before it began'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: OutboundHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    const room = this.#options.answerBytesMax - this.#size;
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    this.#size += chunk.length;
    if (chunk.length > room) this.#answer(true);
  }

  onResponseEnd(): void {
    this.#answer(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (isOurMistake(error)) this.#end(() => this.#ends.reject(error));
    else this.#fail(faultFrom(error, this.#options.url.host));
  }

  #answer(isCut: boolean): void {
    const [status, headers] = [this.#status ?? 0, this.#headers];
    // Copied, since the pieces hold on to the larger ones that came from the socket.
    this.#end(() => this.#ends.resolve({ status, headers, body: Buffer.concat(this.#chunks), isCut }));
    if (isCut) this.#controller?.abort(new Error('cut off'));
  }

  #giveUp(): void {
    const { url, timeoutMs } = this.#options;
    this.#fail(new OutboundFault('timeout', `${url.host} did not answer within ${timeoutMs / 1000} s`));
    this.#controller?.abort(new Error('given up'));
  }

  readonly #onAbort = (): void => {
    this.#end(() => this.#ends.reject(this.#options.signal?.reason));
    this.#controller?.abort(new Error('aborted'));
  };

  #fail(fault: OutboundFault): void {
    this.#end(() => this.#ends.resolve({ fault, status: this.#status }));
  }

  /** Does the first thing that it is asked to, and nothing after that. */
  #end(settle: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    settle();
  }
}

/** Such as a header with a line break: nothing was sent, and nobody but the caller can mend it. */
function isOurMistake(error: Error): boolean {
  return 'code' in error && (error.code === 'UND_ERR_INVALID_ARG' || error.code === 'UND_ERR_NOT_SUPPORTED');
}
