import { describe } from 'vitest';
import { describeKills } from './crash/kills.contract.ts';
import { openFileTarget } from './target.ts';

describe('on the file store', () => {
  describeKills(openFileTarget);
});
