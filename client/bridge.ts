/**
 * The service's MCP over standard input and output, for programs that start a server beside themselves (specification "Standard input
 * and output"): every message is passed on to the service and its answer passed back, whatever the revision of the
 * protocol. Nothing is known of tools, and nothing is kept but what is under way.
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

/** Messages under way at once. Smaller: calls wait for each other; larger: one program takes the service's connections. */
const UNDER_WAY_MAX = 8;
/** Messages that wait for those under way; a program that sends more reads no answers. */
const WAITING_MAX = 1000;
/** Longest message, in characters; the service itself takes 64 KiB. */
const MESSAGE_CHARACTERS_MAX = 1024 * 1024;

export interface BridgeDeps {
  /** Writes a line for the program; resolves when it was taken. */
  readonly write: (line: string) => Promise<void>;
  /** Says what went wrong, to people. */
  readonly log: (line: string) => void;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

/**
 * Passes messages on until the input ends, and resolves when all of them are answered; or at once when the signal says so. Rejects
 * with {@link UnauthenticatedError} after the service has refused the key, since it would refuse every message.
 */
export async function bridgeMcp(input: Readable, settings: ClientSettings, deps: BridgeDeps): Promise<void> {
  const bridge = new Bridge(settings, deps);
  for await (const line of readLines(input, { charactersMax: MESSAGE_CHARACTERS_MAX, signal: bridge.ended })) {
    bridge.take(line);
  }
  await bridge.settled();
}

class Bridge {
  readonly #settings: ClientSettings;
  readonly #deps: BridgeDeps;
  readonly #limit = pLimit(UNDER_WAY_MAX);
  /** What is not answered yet. */
  readonly #tasks = new Set<Promise<void>>();
  /** Ends a request that the program has called off. */
  readonly #running = new Map<MessageId, AbortController>();
  readonly #refused = new AbortController();
  /** When nothing more is to be passed on. */
  readonly ended: AbortSignal;
  #refusal: UnauthenticatedError | undefined;
  /** What `initialize` agreed on; newer revisions say it in every message. */
  #version: string | undefined;

  constructor(settings: ClientSettings, deps: BridgeDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.ended = AbortSignal.any([deps.signal, this.#refused.signal]);
  }

  take(line: string | undefined): void {
    const message = line === undefined ? INVALID_REQUEST : messageFrom(line);
    if (typeof message === 'number') {
      const why = line === undefined ? 'The message is too long' : 'A line has to be one message of JSON-RPC 2.0';
      this.#start(this.#deps.write(failure(undefined, message, why)));
    } else if (message.method === 'notifications/cancelled') {
      // Over HTTP whoever hangs up has called it off, and pays nothing.
      this.#running.get(message.params['requestId'] as MessageId)?.abort(); // Any other value is no key.
    } else if (this.#limit.pendingCount >= WAITING_MAX) {
      this.#start(this.#fail(message, new Error('too many messages wait for an answer')));
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
    const calledOff = new AbortController();
    if (id !== undefined && method !== undefined) this.#running.set(id, calledOff);
    const signal = AbortSignal.any([this.ended, calledOff.signal]);
    try {
      const answers = await this.#limit(() => this.#post(message, signal));
      for (const response of answers) await this.#deps.write(response);
    } catch (error) {
      if (!signal.aborted) await this.#fail(message, error);
    } finally {
      if (id !== undefined) this.#running.delete(id);
    }
  }

  async #post(message: Message, signal: AbortSignal): Promise<readonly string[]> {
    const { log } = this.#deps;
    signal.throwIfAborted();
    const answers = await postMessage(message, {
      settings: this.#settings,
      version: this.#version,
      signal,
      onRetry: ({ error, delayMs }) =>
        log(`${message.method}: ${error.message}; trying again in ${Math.ceil(delayMs / 1000)} s`),
    });
    if (message.method === 'initialize') this.#version = agreedVersion(answers) ?? this.#version;
    if (answers.length === 0 && message.id !== undefined && message.method !== undefined) {
      throw new Error('the service gave no answer');
    }
    return answers;
  }

  /** Tells the program and people; ends everything where the key is what is wrong. */
  async #fail({ id, method }: Message, error: unknown): Promise<void> {
    const text = this.#describe(error);
    this.#deps.log(`${method ?? 'an answer'}: ${text}`);
    const data = error instanceof ClientError ? errorData(error) : undefined;
    if (id !== undefined && method !== undefined) await this.#deps.write(failure(id, INTERNAL_ERROR, text, data));
    if (!(error instanceof UnauthenticatedError)) return;
    this.#refusal = error;
    this.#refused.abort();
  }

  #describe(error: unknown): string {
    if (!(error instanceof NotFoundError)) return messageFromError(error);
    return `There is no MCP at ${this.#settings.url}/mcp, or it is switched off: ${error.message}`;
  }
}

/** The version that the answer to `initialize` names. */
function agreedVersion(answers: readonly string[]): string | undefined {
  const results = answers.map((response) => Object(Object(JSON.parse(response))['result'])['protocolVersion']);
  return results.find((version) => typeof version === 'string');
}
