import { inUnits, setting, wholeNumber } from '../../../runtime/setting.ts';

export const USAGE_SETTINGS = {
  lastUsedIntervalMs: setting('LAST_USED_SECONDS', inUnits(wholeNumber(1, 86_400), 1000), {
    fallback: 10,
    text: 'interval of writing when keys were last used',
  }),
  flushMs: setting('USAGE_DETAIL_SECONDS', inUnits(wholeNumber(1, 3_600), 1000), {
    fallback: 5,
    text: 'how often usage by key and route is written; a crash loses that much of it, and nothing of the quota',
  }),
  rowsMax: setting('USAGE_DETAIL_ROWS_MAX', wholeNumber(100, 10_000_000), {
    fallback: 20_000,
    text: "rows of usage by key and route that wait in memory, of about 300 bytes each; while the database can't be written, requests that need more rows are missing from it",
  }),
  days: setting('USAGE_DAYS', wholeNumber(1, 36_500), { fallback: 400, text: 'days of usage that are retained' }),
};
