import { describe } from 'vitest';
import { describeOnPostgres } from '../../test/support/accounts/control-databases.ts';
import { describeBonus } from './bonus.contract.ts';
import { describeChecks } from './checks.contract.ts';
import { describeIntegrations } from './integrations.contract.ts';

describe('on PostgreSQL', () => {
  describeOnPostgres((another) => {
    describeBonus('PostgreSQL', another);
    describeIntegrations('PostgreSQL', another);
    describeChecks('PostgreSQL', another);
  });
});
