import { AnswerCache } from '../data/answers/answer-cache.ts';
import type { AnswerHeaders } from '../server/answer-headers.ts';
import { etagOf, etagWithEncoding, findTagUnchanged } from '../server/conditional.ts';
import { acceptsGzip, gzip } from '../server/gzip.ts';
import type { WholeAnswer } from '../server/whole-answers.ts';

/** What of a request decides in which form it is answered. */
export interface Conditions {
  readonly 'if-none-match'?: string | undefined;
  readonly 'accept-encoding'?: string | readonly string[] | undefined;
}

export interface KeptAnswersOptions {
  /** Of all answers, in bytes. */
  readonly bytesMax: number;
  /** Smallest body that is packed where the request says that it may be, in bytes. */
  readonly packFromBytes: number;
}

/** Answers to whoever asks, each made once, packed once, and told by the tag of its body. */
export class KeptAnswers {
  readonly #cache: AnswerCache;
  readonly #packFromBytes: number;
  /** By the very body that is kept, so that what is said of it goes with it. */
  readonly #told = new WeakMap<Buffer, Told>();

  constructor({ bytesMax, packFromBytes }: KeptAnswersOptions) {
    this.#cache = new AnswerCache(bytesMax);
    this.#packFromBytes = packFromBytes;
  }

  /**
   * The answer that is kept under a key, or made by `load`; rejects with what that rejects with.
   *
   * @param headers what every form of it has, but for its tag
   */
  async answer(
    key: string,
    { headers, conditions }: { readonly headers: AnswerHeaders; readonly conditions: Conditions },
    load: () => Promise<string>,
  ): Promise<WholeAnswer & { readonly isHit: boolean }> {
    const { body, isHit } = await this.#cache.get(key, load);
    const told = this.#toldOf(body, headers);
    const from = (kept: AnswerHeaders) => (isHit ? kept : { ...kept, 'X-Cache': 'MISS' });
    const matching = findTagUnchanged(conditions['if-none-match'], told.etag);
    if (matching !== undefined) {
      const { unchanged } = told;
      const tagged = matching === unchanged['ETag'] ? unchanged : { ...unchanged, ETag: matching };
      return { status: 304, headers: from(tagged), body: undefined, isHit };
    }
    if (body.length < this.#packFromBytes || !acceptsGzip(conditions['accept-encoding']))
      return { status: 200, headers: from(told.whole), body, isHit };
    const packed = await this.#cache.get(`gzip ${key}`, () => gzip(body));
    return { status: 200, headers: from(told.packed), body: packed.body, isHit };
  }

  #toldOf(body: Buffer, headers: AnswerHeaders): Told {
    const known = this.#told.get(body);
    if (known !== undefined) return known;
    const etag = etagOf(body);
    const whole = { ...headers, ETag: `"${etag}"`, 'X-Cache': 'HIT' };
    const unchanged = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== 'Content-Type'));
    const packed = { ...whole, ETag: etagWithEncoding(whole.ETag, 'gzip'), 'Content-Encoding': 'gzip' };
    const told = { etag, whole, packed, unchanged };
    this.#told.set(body, told);
    return told;
  }
}

/** What is said of a body in each form; these very objects each time, so that nobody has to look at them twice. */
interface Told {
  readonly etag: string;
  readonly whole: AnswerHeaders;
  readonly packed: AnswerHeaders;
  readonly unchanged: AnswerHeaders;
}
