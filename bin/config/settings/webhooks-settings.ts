import { z } from 'zod';
import { SECRET_KEY_BYTES } from '../../../api/webhooks/signing/secret-keys.ts';
import { Milliseconds, Seconds, wholeNumber } from './setting-kinds.ts';

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

/** The settings of webhooks and mail: part of `ConfigSchema`. */
export const WEBHOOKS_SETTINGS = {
  SECRET_KEYS: SecretKeyList.optional().describe(
    'Keys for secrets at rest, base64 of 32 bytes each, comma-separated; the first encrypts',
  ),
  WEBHOOKS_PER_ENDPOINT_MAX: wholeNumber(1, 1_000).default(10).describe('Deliveries to one endpoint at once'),
  WEBHOOKS_AT_ONCE_MAX: wholeNumber(1, 10_000).default(200).describe('Deliveries of one process at once'),
  WEBHOOKS_TIMEOUT_MS: Milliseconds.default(10_000).describe("For an endpoint's whole answer"),
  WEBHOOKS_POLL_SECONDS: Seconds.default(1).describe('Between two looks for deliveries that are due'),
  SMTP: z
    .string()
    .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
    .optional()
    .describe('Server that takes mail: smtp://user:password@host:587'),
  MAIL_FROM: z.string().min(3).default('modelstats <no-reply@localhost>').describe('Sender of mail'),
  MAIL: z.string().min(1).default('./data/mail').describe('Folder for mail where there is no SMTP server'),
  MAIL_TIMEOUT_MS: Milliseconds.default(10_000).describe('For each step with the SMTP server'),
} as const;
