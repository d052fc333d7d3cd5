import { describe } from 'vitest';
import { describeOnPostgres } from '../../test/support/accounts/control-databases.ts';
import { describeAdministration } from './administration.contract.ts';
import { describeReplay } from './replay.contract.ts';

describe('on PostgreSQL', () => {
  describeOnPostgres((another) => {
    describeAdministration('PostgreSQL', another);
    describeReplay('PostgreSQL', another);
  });
});
