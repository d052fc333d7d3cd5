import { Bytes, Seconds, wholeNumber } from './setting-kinds.ts';

/** The settings of fetching a source's files: part of `ConfigSchema`. */
export const FETCH_SETTINGS = {
  FETCHES_MAX: wholeNumber(1, 64).default(4).describe('Files of a source fetched at once'),
  FETCH_BYTES_MAX: Bytes.default(256 * 1024 * 1024).describe('Largest file that is fetched, unpacked, in bytes'),
  FETCH_TIMEOUT_SECONDS: Seconds.default(300).describe(
    'Longest time for one request, from its beginning to the last byte',
  ),
  FETCH_ATTEMPTS_MAX: wholeNumber(1, 20).default(4).describe('Tries of one request, the first included'),
  FETCH_WAIT_SECONDS_MAX: Seconds.default(120).describe(
    'Longest wait between two tries; an upstream that asks for more is given up',
  ),
} as const;
