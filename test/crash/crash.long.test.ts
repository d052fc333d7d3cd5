import { describe } from 'vitest';
import { openFileTarget } from '../support/processes/target.ts';
import { describeKills } from './kills.contract.ts';

describe('on the file store', () => {
  describeKills(openFileTarget);
});
