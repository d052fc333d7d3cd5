/**
 * Text in pieces, some of them stored compressed. A gzip body (RFC 1952) is put together from these as they are: raw DEFLATE (RFC 1951)
 * that ends with a whole byte can be continued, and the CRC-32 of the whole is computed from those of the pieces.
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';

/** UTF-8, plain or compressed. */
export type Piece = Buffer | DeflatedText;

export interface DeflatedText {
  /** Raw DEFLATE without a final block. */
  readonly deflated: Buffer;
  /** Length of the text. */
  readonly bytes: number;
  /** CRC-32 of the text. */
  readonly crc: number;
}

/** A megabyte takes 2.5 ms. For small texts, zlib's thread pool costs three times the processor time. */
export function deflateText(text: Uint8Array): DeflatedText {
  return pieceOf(text, deflateRawSync(text, OPTIONS));
}

function pieceOf(text: Uint8Array, deflated: Buffer): DeflatedText {
  return { deflated, bytes: text.length, crc: crc32(text) };
}

/** Half the time of zlib's own level, and 10 % more space. */
const OPTIONS = { level: 1, finishFlush: constants.Z_SYNC_FLUSH };

const deflateRawAsync = promisify<Uint8Array, typeof OPTIONS, Buffer>(deflateRaw);

export function bytesOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : piece.bytes), 0);
}

/** Throws zlib's errors for damaged bytes. */
export function plainPieces(pieces: readonly Piece[]): readonly Buffer[] {
  return pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : inflate(piece)));
}

/** At once into one buffer, which is a byte longer, since zlib allocates another one when the first is full. */
export function inflate({ deflated, bytes }: DeflatedText): Buffer {
  const chunkSize = Math.max(bytes + 1, constants.Z_MIN_CHUNK);
  return inflateRawSync(deflated, { chunkSize, finishFlush: constants.Z_SYNC_FLUSH });
}

/** The gzip body, itself in pieces. */
export async function gzipPieces(pieces: readonly Piece[]): Promise<readonly Buffer[]> {
  const parts = await Promise.all(
    joinPlain(pieces).map((piece) => (Buffer.isBuffer(piece) ? deflatedOf(piece) : piece)),
  );
  const crc = parts.reduce((sum, part) => combineCrc32(sum, part.crc, part.bytes), 0);
  const trailer = Buffer.from([...LAST_BLOCK, ...new Uint8Array(8)]);
  trailer.writeUInt32LE(crc, LAST_BLOCK.length);
  trailer.writeUInt32LE(bytesOf(parts) % 2 ** 32, LAST_BLOCK.length + 4);
  return [HEADER, ...parts.map(({ deflated }) => deflated), trailer];
}

/** DEFLATE, without a name and a time, of an unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** Stored, empty, final. */
const LAST_BLOCK = [1, 0, 0, 0xff, 0xff];

function joinPlain(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  let plain: Buffer[] = [];
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) plain.push(piece);
    else {
      joined.push(Buffer.concat(plain), piece);
      plain = [];
    }
  }
  return [...joined, Buffer.concat(plain)];
}

async function deflatedOf(text: Buffer): Promise<DeflatedText> {
  if (text.length > SYNC_BYTES_MAX) return pieceOf(text, await deflateRawAsync(text, OPTIONS));
  if (text.length > STORED_BYTES_MAX) return deflateText(text);
  const head = Buffer.from([0, 0, 0, 0, 0]);
  head.writeUInt16LE(text.length, 1);
  head.writeUInt16LE(0xffff - text.length, 3);
  return pieceOf(text, Buffer.concat([head, text]));
}

/** More would hold the event loop. */
const SYNC_BYTES_MAX = 200_000;

/** Such as commas: compressing them takes longer than sending them. */
const STORED_BYTES_MAX = 500;

/** CRC-32 of two texts, one after the other. @param bytes length of the second */
function combineCrc32(first: number, second: number, bytes: number): number {
  // Appending a byte multiplies a CRC by x^8, modulo its polynomial.
  let [shifted, power] = [first, X_TO_THE_8];
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shifted = multiply(shifted, power);
    power = multiply(power, power);
  }
  return (shifted ^ second) >>> 0;
}

/** Product of two polynomials modulo that of CRC-32; the highest bit is x^0. */
function multiply(a: number, b: number): number {
  let [product, shifted] = [0, b];
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product;
}

const POLYNOMIAL = 0xedb88320;
const X_TO_THE_8 = 0x800000;
