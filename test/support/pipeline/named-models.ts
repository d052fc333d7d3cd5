import type { DaySource, NightOptions } from './temporary-store.ts';

/** Settings of a source that keeps a table of names of two upstreams. */
export const NAMING_SETTINGS = {
  aliases: 'aliases.csv',
  upstreams: [
    { id: 'shop', name: 'The shop', url: 'https://shop.test' },
    { id: 'board', name: 'The board', url: 'https://board.test' },
  ],
};

/** A day's source with a table of these lines. */
export function withNames(...lines: readonly string[]): DaySource & NightOptions {
  return { settings: NAMING_SETTINGS, aliases: ['upstream,id,model_id', ...lines, ''].join('\n') };
}
