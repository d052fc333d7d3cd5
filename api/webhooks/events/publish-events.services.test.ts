import { describe } from 'vitest';
import { describeOnPostgres } from '../../../test/support/accounts/control-databases.ts';
import { describeEvents } from './publish-events.contract.ts';

describe('on PostgreSQL', () => {
  describeOnPostgres((another) => describeEvents('PostgreSQL', another));
});
