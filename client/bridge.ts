/**
 * Passes MCP messages from standard input to the service and writes its responses back, whatever the protocol revision
 * (specification "Standard input and output"). Stateless but for messages in flight.
 */
import type { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { messageFromError } from '../runtime/errors.ts';
import type { ClientSettings } from './client-settings.ts';
import { ClientError, NotFoundError, UnauthenticatedError } from './errors.ts';
import {
  errorData,
  failure,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type Message,
  type MessageId,
  messageFrom,
  postMessage,
  readLines,
} from './message.ts';

/** Smaller: calls wait for each other. Larger: one program takes too many of the service's connections. */
const IN_FLIGHT_MAX = 8;
/** A program that queues more doesn't read its responses. */
const QUEUED_MAX = 1000;
/** In characters; the service accepts 64 KiB. */
const MESSAGE_CHARACTERS_MAX = 1024 * 1024;

export interface BridgeDeps {
  readonly write: (line: string) => Promise<void>;
  /** For people. */
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Passes messages on until the input ends, and resolves when all are answered, or when the signal aborts. Rejects with
 * {@link UnauthenticatedError} once the service refuses the key.
 */
export async function bridgeMcp(input: Readable, settings: ClientSettings, deps: BridgeDeps): Promise<void> {
  const bridge = new Bridge(settings, deps);
  for await (const line of readLines(input, { charactersMax: MESSAGE_CHARACTERS_MAX, signal: bridge.ended })) {
    bridge.accept(line);
  }
  await bridge.settled();
}

class Bridge {
  readonly #settings: ClientSettings;
  readonly #deps: BridgeDeps;
  readonly #limit = pLimit(IN_FLIGHT_MAX);
  readonly #tasks = new Set<Promise<void>>();
  readonly #running = new Map<MessageId, AbortController>();
  readonly #refused = new AbortController();
  readonly ended: AbortSignal;
  #refusal: UnauthenticatedError | undefined;
  /** As `initialize` negotiated; newer revisions state it in each message. */
  #version: string | undefined;

  constructor(settings: ClientSettings, deps: BridgeDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.ended = AbortSignal.any([deps.signal, this.#refused.signal]);
  }

  accept(line: string | undefined): void {
    const message = line === undefined ? INVALID_REQUEST : messageFrom(line);
    if (typeof message === 'number') {
      const why = line === undefined ? 'The message is too long' : 'A line must be one JSON-RPC 2.0 message';
      this.#start(this.#deps.write(failure(undefined, message, why)));
    } else if (message.method === 'notifications/cancelled') {
      // Over HTTP, closing the connection cancels a request, at no cost.
      this.#running.get(message.params['requestId'] as MessageId)?.abort(); // Any other value is no key of the map.
    } else if (this.#limit.pendingCount >= QUEUED_MAX) {
      this.#start(this.#fail(message, new Error('too many messages are waiting for a response')));
    } else {
      this.#start(this.#pass(message));
    }
  }

  async settled(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #start(work: Promise<void>): void {
    const task = work.finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #pass(message: Message): Promise<void> {
    const { id, method } = message;
    const cancelled = new AbortController();
    if (id !== undefined && method !== undefined) this.#running.set(id, cancelled);
    const signal = AbortSignal.any([this.ended, cancelled.signal]);
    try {
      const responses = await this.#limit(() => this.#post(message, signal));
      for (const response of responses) await this.#deps.write(response);
    } catch (error) {
      if (!signal.aborted) await this.#fail(message, error);
    } finally {
      if (id !== undefined) this.#running.delete(id);
    }
  }

  async #post(message: Message, signal: AbortSignal): Promise<readonly string[]> {
    const { log } = this.#deps;
    signal.throwIfAborted();
    const responses = await postMessage(message, {
      settings: this.#settings,
      version: this.#version,
      signal,
      onRetry: ({ error, delayMs }) =>
        log(`${message.method}: ${error.message}; retrying in ${Math.ceil(delayMs / 1000)} s`),
    });
    if (message.method === 'initialize') this.#version = agreedVersion(responses) ?? this.#version;
    if (responses.length === 0 && message.id !== undefined && message.method !== undefined) {
      throw new Error('the service sent no response');
    }
    return responses;
  }

  /** Reports to the program and the log; a refused key ends everything. */
  async #fail({ id, method }: Message, error: unknown): Promise<void> {
    const text = this.#describe(error);
    this.#deps.log(`${method ?? 'a response'}: ${text}`);
    const data = error instanceof ClientError ? errorData(error) : undefined;
    if (id !== undefined && method !== undefined) await this.#deps.write(failure(id, INTERNAL_ERROR, text, data));
    if (!(error instanceof UnauthenticatedError)) return;
    this.#refusal = error;
    this.#refused.abort();
  }

  #describe(error: unknown): string {
    if (!(error instanceof NotFoundError)) return messageFromError(error);
    return `MCP is not available at ${this.#settings.url}/mcp: ${error.message}`;
  }
}

function agreedVersion(responses: readonly string[]): string | undefined {
  const results = responses.map((response) => Object(Object(JSON.parse(response))['result'])['protocolVersion']);
  return results.find((version) => typeof version === 'string');
}
