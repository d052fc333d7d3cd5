import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { factsOf } from './errors.ts';

/** An answer whose body is on its way. */
export interface Answer {
  readonly etag: string;
  /** Of this body. */
  readonly bytes: number;
  readonly body: Readable;
}

/** Asks for an object, from this byte to its end. */
export type Ask = (offset: number) => Promise<Answer>;

export interface DownloadOptions {
  /** How often in a row a connection may break without one new byte. */
  readonly attemptsMax: number;
  /** 0 ≤ x < 1, for the jitter of the retries. */
  readonly random: () => number;
}

/** The object is another one now, or gone, and the rest of what was being read can't be had any more. */
export class ReplacedWhileRead extends Error {
  override readonly name = 'ReplacedWhileRead';
}

/**
 * The bytes of one version of an object. A connection that breaks is replaced by one that goes on at the next byte, if that
 * still is the same version. While there is no first byte yet, a newer version will do.
 */
export class Download {
  readonly #ask: Ask;
  readonly #options: DownloadOptions;
  #answer: Answer;
  #chunks: AsyncIterator<Buffer>;
  /** Of the whole object. */
  #bytes: number;
  #offset = 0;

  private constructor(ask: Ask, answer: Answer, options: DownloadOptions) {
    this.#ask = ask;
    this.#options = options;
    this.#answer = answer;
    this.#chunks = answer.body[Symbol.asyncIterator]();
    this.#bytes = answer.bytes;
  }

  static async start(ask: Ask, options: DownloadOptions): Promise<Download> {
    return new Download(ask, await ask(0), options);
  }

  /** The version of the bytes; final once there is a first one. */
  get etag(): string {
    return this.#answer.etag;
  }

  /** To be called however the reading ended, also where it never began. */
  close(): void {
    this.#answer.body.destroy();
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (let failures = 0; ; ) {
      const next = await this.#next();
      if (next === 'end') return;
      if (Buffer.isBuffer(next)) {
        this.#offset += next.length;
        failures = 0;
        yield next;
        continue;
      }
      failures += 1;
      if (failures >= this.#options.attemptsMax || this.#offset === this.#bytes) throw next.failure;
      await sleep(this.#options.random() * FIRST_DELAY_MS * 2 ** failures);
      await this.#goOn();
    }
  }

  async #next(): Promise<Buffer | 'end' | { failure: unknown }> {
    try {
      const next = await this.#chunks.next();
      if (next.done !== true) return next.value;
      return this.#offset === this.#bytes ? 'end' : { failure: new Error('the object ended early') };
    } catch (failure) {
      return { failure };
    }
  }

  async #goOn(): Promise<void> {
    this.close();
    const answer = await this.#askAgain();
    if (this.#offset > 0 && answer.etag !== this.#answer.etag) {
      answer.body.destroy();
      throw new ReplacedWhileRead('it was replaced while it was read');
    }
    this.#answer = answer;
    this.#chunks = answer.body[Symbol.asyncIterator]();
    this.#bytes = this.#offset + answer.bytes;
  }

  async #askAgain(): Promise<Answer> {
    try {
      return await this.#ask(this.#offset);
    } catch (error) {
      const { status } = factsOf(error);
      // Gone, or shorter now than where we are.
      if (status !== 404 && status !== 416) throw error;
      throw new ReplacedWhileRead('it was replaced or removed while it was read', { cause: error });
    }
  }
}

const FIRST_DELAY_MS = 100;
