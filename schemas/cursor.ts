/** The feed's cursor for everything after `seq`: base64url, without padding, of the decimal number (SPEC "Change event"). */
export function cursorFromSeq(seq: number): string {
  return Buffer.from(String(seq), 'utf8').toString('base64url');
}

/** The seq inside a cursor; undefined where the text is not exactly what {@link cursorFromSeq} gives. */
export function seqFromCursor(cursor: string): number | undefined {
  const digits = Buffer.from(cursor, 'base64url').toString('utf8');
  const seq = Number(digits);
  return Number.isSafeInteger(seq) && seq >= 0 && cursorFromSeq(seq) === cursor ? seq : undefined;
}
