import { z } from 'zod';

/** How an upstream is called wherever it is named: in `source.json`, in a release, in reports. */
export const UpstreamIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be like models-dev: up to 64 of a-z, 0-9, dot, dash and underscore');

const Text = z.string().trim().min(1).max(1000);
const WebAddress = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
  .max(2048);

/** Whom a source's data comes from, and on which terms (specification "Fetching"). What isn't known is null. */
export const UpstreamSchema = z.strictObject({
  id: UpstreamIdSchema,
  /** For people. */
  name: Text,
  /** Its home page. */
  url: WebAddress,
  /** Licence of the data, by its usual short name. */
  license: Text.nullable().default(null),
  terms_url: WebAddress.nullable().default(null),
  /** The line that whoever shows the data has to show with it. */
  attribution: Text.nullable().default(null),
  /** Whether its terms allow to pass the data on. */
  redistribution: z.boolean().default(false),
  /** When somebody last read the terms. */
  checked: z.iso.date().nullable().default(null),
});
export type Upstream = z.infer<typeof UpstreamSchema>;
