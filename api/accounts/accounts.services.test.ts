import { describe } from 'vitest';
import { describeOnPostgres } from '../../test/support/accounts/control-databases.ts';
import { describeAccounts } from './accounts.contract.ts';

describe('on PostgreSQL', () => {
  describeOnPostgres((another) => describeAccounts('PostgreSQL', another));
});
