import { z } from 'zod';
import { defaultsOf } from '../runtime/setting.ts';
import { CLIENT_SETTINGS } from './settings.ts';

const Milliseconds = z.int().min(1).max(86_400_000);

const DEFAULTS = defaultsOf(CLIENT_SETTINGS);

/** How a client asks; every wait and every retry is bounded. */
export const ClientSettingsSchema = z.strictObject({
  /** Where the service is, with its base path, such as `https://api.example.com/stats`. */
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .refine((url) => isPlain(url), 'must hold no user, password, query or fragment')
    .transform((url) => new URL(url).href.replace(/\/+$/, '')),
  /** The API key. */
  key: z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without blanks'),
  /** Tries of one request that the network or the service failed. */
  attemptsMax: z.int().min(1).max(100).default(DEFAULTS.attemptsMax),
  /** Until an answer has arrived; of a download, until 64 KiB more of it have. */
  timeoutMs: Milliseconds.default(DEFAULTS.timeoutMs),
  /** The longest wait before a try; the first is a second at most, and each may take twice as long. */
  retryDelayMsMax: Milliseconds.default(DEFAULTS.retryDelayMsMax),
  /** How long one request may wait in all for limits per minute to pass. */
  limitWaitMsMax: Milliseconds.default(DEFAULTS.limitWaitMsMax),
  /** The largest answer, in bytes, unpacked; what becomes of it takes several times as much memory. */
  answerBytesMax: z
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .default(DEFAULTS.answerBytesMax),
  /** The largest file of a snapshot, in bytes, packed as well as unpacked. */
  fileBytesMax: z.int().min(1024).default(DEFAULTS.fileBytesMax),
  /** `User-Agent`. */
  userAgent: z.string().min(1).default('modelstats-client'),
});
export type ClientSettings = z.infer<typeof ClientSettingsSchema>;
export type ClientOptions = z.input<typeof ClientSettingsSchema>;

/** A secret in an address would be shown with it. */
function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return true; // Told already.
  const { username, password, search, hash } = new URL(url);
  return username + password + search + hash === '';
}
