import { inUnits, setting, wholeNumber } from '../../../runtime/setting.ts';

export const USAGE_SETTINGS = {
  lastUsedIntervalMs: setting('LAST_USED_SECONDS', inUnits(wholeNumber(1, 86_400), 1000), {
    fallback: 10,
    text: 'interval of writing when keys were last used',
  }),
  flushMs: setting('USAGE_DETAIL_SECONDS', inUnits(wholeNumber(1, 3_600), 1000), {
    fallback: 5,
    text: 'interval of writing usage by key and route; a crash loses up to one interval of it, but never quota',
  }),
  rowsMax: setting('USAGE_DETAIL_ROWS_MAX', wholeNumber(100, 10_000_000), {
    fallback: 20_000,
    text: "rows of usage by key and route held in memory until they are written, some 300 bytes each; when full because the database can't be written, further requests are not counted there",
  }),
  days: setting('USAGE_DAYS', wholeNumber(1, 36_500), { fallback: 400, text: 'days for which usage is stored' }),
};
