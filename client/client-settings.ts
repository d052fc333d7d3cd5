import { z } from 'zod';
import { defaultsOf } from '../runtime/setting.ts';
import { CLIENT_SETTINGS } from './settings.ts';

const Milliseconds = z.int().min(1).max(86_400_000);

const DEFAULTS = defaultsOf(CLIENT_SETTINGS);

/** Settings of a client; every wait and retry is bounded. */
export const ClientSettingsSchema = z.strictObject({
  /** URL of the service with its base path, such as `https://api.example.com/stats`. */
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
    .refine((url) => isPlain(url), 'must not contain a user, password, query or fragment')
    .transform((url) => new URL(url).href.replace(/\/+$/, '')),
  key: z.string().regex(/^[\x21-\x7e]+$/, 'must consist of visible ASCII characters without spaces'),
  /** Attempts that network or service failed. */
  attemptsMax: z.int().min(1).max(100).default(DEFAULTS.attemptsMax),
  /** For a response; for a download, until 64 KiB more have arrived. */
  timeoutMs: Milliseconds.default(DEFAULTS.timeoutMs),
  /** The longest delay before a retry; the first is at most a second, and it doubles. */
  retryDelayMsMax: Milliseconds.default(DEFAULTS.retryDelayMsMax),
  /** Total time that a request waits for limits per minute. */
  limitWaitMsMax: Milliseconds.default(DEFAULTS.limitWaitMsMax),
  /** Unpacked; processing needs several times that memory. */
  answerBytesMax: z
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .default(DEFAULTS.answerBytesMax),
  /** Of a snapshot, packed or unpacked. */
  fileBytesMax: z.int().min(1024).default(DEFAULTS.fileBytesMax),
  userAgent: z.string().min(1).default('modelstats-client'),
});
export type ClientSettings = z.infer<typeof ClientSettingsSchema>;
export type ClientOptions = z.input<typeof ClientSettingsSchema>;

/** A secret in the URL would be printed with it. */
function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return true; // Reported already.
  const { username, password, search, hash } = new URL(url);
  return username + password + search + hash === '';
}
