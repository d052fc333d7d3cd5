import { setting, wholeNumber } from '../../runtime/setting.ts';

export const DIGEST_SETTINGS = {
  hour: setting('DIGEST_HOUR', wholeNumber(0, 23), {
    fallback: 7,
    text: 'hour of the UTC day at which digests by email are due, weekly ones on Mondays: after the usual end of a night',
  }),
};
