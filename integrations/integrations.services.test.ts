import { describeOnPostgres } from '../test/support/accounts/control-databases.ts';
import { describeBonus } from './bonus.contract.ts';
import { describeIntegrations } from './integrations.contract.ts';
import { describeChecks } from './queue/checks.contract.ts';

describeOnPostgres((another) => {
  describeBonus('PostgreSQL', another);
  describeIntegrations('PostgreSQL', another);
  describeChecks('PostgreSQL', another);
});
