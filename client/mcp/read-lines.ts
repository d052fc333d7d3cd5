import type { Readable } from 'node:stream';

export interface ReadOptions {
  /** The longest line that is kept. */
  readonly charactersMax: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** The lines of a stream without those that are blank, until it ends. A line that is too long is given as undefined. */
export async function* readLines(
  input: Readable,
  { charactersMax, signal }: ReadOptions,
): AsyncGenerator<string | undefined, void> {
  const lines = new Lines(charactersMax);
  const stop = () => input.destroy();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  input.setEncoding('utf8');
  try {
    for await (const chunk of input) yield* lines.endedBy(String(chunk));
    yield* lines.endedBy('\n');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Puts lines together from the chunks that hold them. */
class Lines {
  readonly #charactersMax: number;
  #begun = '';
  #isTooLong = false;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  /** The lines that end in this chunk. */
  *endedBy(chunk: string): Generator<string | undefined, void> {
    const parts = chunk.split('\n');
    for (const [index, part] of parts.entries()) {
      this.#grow(part);
      if (index === parts.length - 1) return;
      if (this.#isTooLong) yield undefined;
      else if (this.#begun.trim() !== '') yield this.#begun;
      [this.#begun, this.#isTooLong] = ['', false];
    }
  }

  #grow(part: string): void {
    this.#isTooLong ||= this.#begun.length + part.length > this.#charactersMax;
    this.#begun = this.#isTooLong ? '' : this.#begun + part;
  }
}
