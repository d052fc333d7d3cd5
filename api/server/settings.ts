import { z } from 'zod';
import { type AllowedNetwork, parseNetwork } from '../../runtime/outbound/address-check.ts';
import { Bytes, Milliseconds, type OptionsFrom, setting, wholeNumber } from '../../runtime/setting.ts';

/** Limits per connection (specification "Connections"). */
export const CONNECTION_SETTINGS = {
  headersTimeoutMs: setting('HEADERS_TIMEOUT_MS', Milliseconds, {
    fallback: 10_000,
    text: "longest wait for a request's head; never more than `MODELSTATS_REQUEST_TIMEOUT_MS`",
  }),
  headersMax: setting('HEADERS_MAX', wholeNumber(10, 2_000), {
    fallback: 100,
    text: 'header fields of a request; more get 431',
  }),
  requestTimeoutMs: setting('REQUEST_TIMEOUT_MS', Milliseconds, {
    fallback: 30_000,
    text: 'longest wait for a whole request, body included',
  }),
  pipelinedMax: setting('PIPELINED_MAX', wholeNumber(1, 1_000), {
    fallback: 20,
    text: 'requests of a connection that may wait behind the current one; with more, the connection is closed after them',
  }),
  sendTimeoutMs: setting('SEND_TIMEOUT_MS', Milliseconds, {
    fallback: 60_000,
    text: 'how long a client may take less than `MODELSTATS_SEND_BYTES_MIN` of a waiting response; then its connection is closed',
  }),
  sendBytesMin: setting('SEND_BYTES_MIN', Bytes, {
    fallback: 16_384,
    text: 'bytes of its responses that a client must take in each `MODELSTATS_SEND_TIMEOUT_MS`; system buffers make this visible only in steps of some hundred kilobytes on a fast network',
  }),
  keepAliveTimeoutMs: setting('KEEP_ALIVE_TIMEOUT_MS', Milliseconds, {
    fallback: 72_000,
    text: "longest wait of an open connection for its next request; longer than the proxy's",
  }),
  connectionsMax: setting('CONNECTIONS_MAX', wholeNumber(1, 1_000_000), {
    fallback: 10_000,
    text: 'maximum open connections; further ones are closed at once',
  }),
};

export type ConnectionSettings = OptionsFrom<typeof CONNECTION_SETTINGS>;

export const METRICS_SETTINGS = {
  token: setting('METRICS_TOKEN', z.string().min(16, 'must have at least 16 characters').optional(), {
    text: 'bearer token of at least 16 characters for `/metrics`; without it nobody can read them, unless one of the next settings allows it',
    shown: 'masked',
  }),
  isOpen: setting('METRICS_OPEN', z.stringbool(), { fallback: 'false', text: '`true`: anyone can read `/metrics`' }),
  host: setting('METRICS_HOST', z.string().min(1), {
    fallback: '127.0.0.1',
    text: 'address of `MODELSTATS_METRICS_PORT`',
  }),
  port: setting('METRICS_PORT', wholeNumber(0, 65_535).optional(), {
    text: 'separate port for `/metrics` of `serve`, `schedule` or `dispatch`, one per process; anyone who reaches it can read them, with the token if one is set; 0 for any free one',
  }),
};

/** Comma-separated networks; reports each invalid one. */
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

export const OUTBOUND_SETTINGS = {
  allow: setting('OUTBOUND_ALLOW', Networks.default([]), {
    text: "networks or addresses that requests to customers' addresses may reach although they are not public, comma-separated, such as `10.0.0.0/8, fd00::/8`; for your own receivers",
  }),
};
