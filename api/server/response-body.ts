/** Text in UTF-8, bytes, or bytes in pieces. */
export type Body = string | Buffer | readonly Buffer[];

export function byteLengthOf(body: Body): number {
  return isWhole(body) ? Buffer.byteLength(body) : body.reduce((sum, { length }) => sum + length, 0);
}

export function wholeOf<B extends Body | undefined>(body: B): Exclude<B, readonly Buffer[]> | Buffer {
  const pieces: Body | undefined = body;
  return pieces === undefined || isWhole(pieces)
    ? (body as Exclude<B, readonly Buffer[]>) // By the check.
    : Buffer.concat(pieces);
}

export function isWhole(body: Body): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}
