/** Memory that is kept to be used again, all free buffers together. Larger: more memory after a burst; smaller: more is allocated. */
const FREE_BYTES_MAX = 32 * 1024 * 1024;

/** Sizes are rounded up to this, so that a buffer serves for the next answer, which is a little longer. */
const SIZE_BYTES = 64 * 1024;

/**
 * Buffers for what is read and soon done with. Node's memory for large buffers lies outside of its heap, and for every 64 MB or so
 * of it all of the heap is searched for what is free: with a new buffer for each page of the feed that would take most of the time.
 */
export class BufferPool {
  readonly #free: Buffer[] = [];
  #freeBytes = 0;

  /** A buffer of at least so many bytes, with anything in it. */
  take(bytes: number): Buffer {
    const at = this.#free.findIndex(({ length }) => length >= bytes);
    const [buffer] = at < 0 ? [] : this.#free.splice(at, 1);
    if (buffer === undefined) return Buffer.allocUnsafeSlow(Math.ceil(bytes / SIZE_BYTES) * SIZE_BYTES);
    this.#freeBytes -= buffer.length;
    return buffer;
  }

  /** Gives a buffer back that nobody will read or write any more; one that never comes back is collected as any other. */
  give(buffer: Buffer): void {
    if (this.#freeBytes + buffer.length > FREE_BYTES_MAX) return;
    this.#free.push(buffer);
    this.#freeBytes += buffer.length;
  }
}
