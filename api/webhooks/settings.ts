import { z } from 'zod';
import { inUnits, Milliseconds, Seconds, setting, wholeNumber } from '../../runtime/setting.ts';
import { SECRET_KEY_BYTES } from './endpoints/secret-keys.ts';

/** Keys in base64, separated by commas. */
const SecretKeyList = z.string().transform((text, context): readonly Buffer[] =>
  text.split(',').map((part, index) => {
    const key = Buffer.from(part.trim(), 'base64');
    // The key itself is never told, not even where it is wrong.
    if (key.length !== SECRET_KEY_BYTES)
      context.addIssue({ code: 'custom', message: `key ${index + 1} is not base64 of ${SECRET_KEY_BYTES} bytes` });
    return key;
  }),
);

/** Of secrets at rest. */
export const SECRET_SETTINGS = {
  keys: setting('SECRET_KEYS', SecretKeyList.optional(), {
    text: "keys that encrypt signing secrets at rest: base64 of 32 bytes each, such as `openssl rand -base64 32` prints, comma-separated; the first encrypts, each opens what it has encrypted, and from the first comes the secret of [sessions](#people). With PostgreSQL webhooks and the console need it set, the same for every process; plain `serve` and nights don't",
    documented: 'a file beside the SQLite database, made when it is first needed',
    shown: 'masked',
  }),
};

/** Of the dispatcher. */
export const WEBHOOK_SETTINGS = {
  perEndpointMax: setting('WEBHOOKS_PER_ENDPOINT_MAX', wholeNumber(1, 1_000), {
    fallback: 10,
    text: 'deliveries of one process to one endpoint at once',
  }),
  inFlightMax: setting('WEBHOOKS_AT_ONCE_MAX', wholeNumber(1, 10_000), {
    fallback: 200,
    text: 'deliveries of one process at once',
  }),
  timeoutMs: setting('WEBHOOKS_TIMEOUT_MS', Milliseconds, {
    fallback: 10_000,
    text: "for an endpoint's whole answer, in milliseconds; less than 10 seconds breaks the promise to receivers",
  }),
  pollMs: setting('WEBHOOKS_POLL_SECONDS', inUnits(Seconds, 1000), {
    fallback: 1,
    text: 'between two looks for deliveries that are due',
  }),
};
