/** Text in UTF-8, bytes, or bytes in pieces. */
export type Body = string | Buffer | readonly Buffer[];

export function byteLengthOf(body: Body): number {
  return isWhole(body) ? Buffer.byteLength(body) : body.reduce((sum, { length }) => sum + length, 0);
}

export function wholeOf(body: Body): string | Buffer {
  return isWhole(body) ? body : Buffer.concat(body);
}

export function isWhole(body: Body): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}
