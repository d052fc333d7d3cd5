import { expect, test } from 'vitest';
import { z } from 'zod';
import { defaultsOf, inUnits, setting, wholeNumber } from './setting.ts';

test('what holds where nothing is set is in the unit of the option, and undefined where there is no default', () => {
  const group = {
    waitMs: setting('WAIT_SECONDS', inUnits(wholeNumber(1, 60), 1000), { fallback: 10, text: 'a wait' }),
    names: setting('NAMES', z.string().default('all'), { text: 'names' }),
    key: setting('KEY', z.string().min(1).optional(), { text: 'a key' }),
  };
  expect(defaultsOf(group)).toEqual({ waitMs: 10_000, names: 'all', key: undefined });
});
