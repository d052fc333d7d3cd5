import { z } from 'zod';
import { type AllowedNetwork, parseNetwork } from '../../../runtime/outbound/address-check.ts';

/** Networks separated by commas; each wrong one is told. */
const Networks = z.string().transform((text, context): readonly AllowedNetwork[] =>
  text.split(',').flatMap((part) => {
    try {
      return [parseNetwork(part.trim())];
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return [];
    }
  }),
);

/** The settings of requests to customers' addresses: part of `ConfigSchema`. */
export const OUTBOUND_SETTINGS = {
  OUTBOUND_ALLOW: Networks.default([]).describe(
    "Networks that requests to customers' addresses may reach although they are not public, comma-separated",
  ),
} as const;
