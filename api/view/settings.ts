import { z } from 'zod';
import { inUnits, Milliseconds, type OptionsFrom, Seconds, setting, wholeNumber } from '../../runtime/setting.ts';

export const VIEW_SETTINGS = {
  folder: setting('VIEW', z.string().min(1), {
    fallback: './data/view',
    text: 'folder for the view that `serve` serves: a cache, safe to delete, about as large as the newest state and all history uncompressed, and twice that while the next one is built; one process per folder',
  }),
  pollMs: setting('POLL_SECONDS', inUnits(Seconds, 1000), {
    fallback: 15,
    text: 'time between two polls of the catalog',
  }),
  retryMaxMs: setting('POLL_RETRY_MAX_SECONDS', inUnits(Seconds, 1000), {
    fallback: 300,
    text: 'longest wait before a failed view is built again; doubles from `MODELSTATS_POLL_SECONDS`',
  }),
  downloadsMax: setting('DOWNLOADS_MAX', wholeNumber(1, 64), {
    fallback: 8,
    text: 'files downloaded at once to build the view',
  }),
};

export const QUERY_SETTINGS = {
  /** In threads, which start when needed; each has its own page cache. */
  queriesMax: setting('QUERIES_MAX', wholeNumber(1, 64), {
    fallback: 2,
    text: 'long queries at once, each in a thread of its own; short ones need none',
  }),
  /** Larger: bursts wait longer before they are refused. */
  queriesWaitingMax: setting('QUERIES_WAITING_MAX', wholeNumber(1, 100_000), {
    fallback: 1000,
    text: 'waiting long queries; further requests get 503',
  }),
  queryTimeoutMs: setting('QUERY_TIMEOUT_MS', Milliseconds, {
    fallback: 10_000,
    text: 'longest query',
  }),
};

export type QueryLimits = OptionsFrom<typeof QUERY_SETTINGS>;
