/**
 * Reads what a server answers, never more of it than a limit: a body is counted as it is unpacked, so that neither one that has no
 * end nor one that was packed to grow takes the memory of the program (decision 0104).
 */
import { isNestedDeeper } from '../runtime/json-depth.ts';
import { AnswerTooLargeError } from './errors.ts';

/** Of an answer that is no success: what it says fits many times. */
const ERROR_BYTES_MAX = 64 * 1024;
/** Levels of lists and objects in an answer; the service's own have six at most. */
const LEVELS_MAX = 64;

/** What was read of a body. */
export interface BodyText {
  readonly text: string;
  /** Unpacked. */
  readonly bytes: number;
}

/** Reads a body of up to so many bytes; rejects with an {@link AnswerTooLargeError} where it is longer, and hangs up. */
export async function readText(response: Response, bytesMax: number): Promise<BodyText> {
  const { isCut, ...body } = await readUpTo(response, bytesMax);
  if (!isCut) return body;
  const { origin, pathname } = new URL(response.url);
  const message = `the answer of ${origin}${pathname} is larger than ${bytesMax} bytes: ${LIMITED_BY.answer}`;
  throw new AnswerTooLargeError(message, { code: 'answer_too_large', status: response.status });
}

/** Reads the beginning of a body that says why there is no answer, and hangs up where it goes on. */
export async function readErrorText(response: Response): Promise<string> {
  return (await readUpTo(response, ERROR_BYTES_MAX)).text;
}

/** JSON of an answer. Throws a SyntaxError for what is none, and for what is nested deeper than any answer. */
export function parseAnswer(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!isNestedDeeper(value, LEVELS_MAX)) return value;
  throw new SyntaxError(`the answer is nested more than ${LEVELS_MAX} levels deep`);
}

/** Which setting allows more, in a program and on the command line. */
export const LIMITED_BY = {
  answer: 'answerBytesMax, or MODELSTATS_CLIENT_ANSWER_BYTES_MAX, allows more',
  file: 'fileBytesMax, or MODELSTATS_CLIENT_FILE_BYTES_MAX, allows more',
} as const;

async function readUpTo(
  { body }: Pick<Response, 'body'>,
  bytesMax: number,
): Promise<BodyText & { readonly isCut: boolean }> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body ?? []) {
    const room = bytesMax - bytes;
    bytes += Math.min(chunk.length, room);
    text += decoder.decode(chunk.subarray(0, room), { stream: true });
    // Leaving the loop closes the connection.
    if (chunk.length > room) return { text, bytes, isCut: true };
  }
  return { text: text + decoder.decode(), bytes, isCut: false };
}
