import { describe } from 'vitest';
import { describeOnPostgres } from '../../../test/support/accounts/control-databases.ts';
import { describePeople } from './people.contract.ts';

describe('on PostgreSQL', () => {
  describeOnPostgres((another) => describePeople('PostgreSQL', another));
});
