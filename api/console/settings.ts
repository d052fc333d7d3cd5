import { setting, wholeNumber } from '../../runtime/setting.ts';

/** Of the console. */
export const CONSOLE_SETTINGS = {
  pagesPerMinute: setting('CONSOLE_PAGES_MAX', wholeNumber(1, 100_000), {
    fallback: 120,
    text: 'pages and forms of the console that one person may ask for in a minute',
  }),
};
