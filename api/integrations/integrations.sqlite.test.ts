import { describe } from 'vitest';
import { useMigratedSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeBonus } from './bonus.contract.ts';
import { describeChecks } from './checks.contract.ts';
import { describeIntegrations } from './integrations.contract.ts';

const another = useMigratedSqlite();
describe('on SQLite', () => {
  describeBonus('SQLite', another);
  describeIntegrations('SQLite', another);
  describeChecks('SQLite', another);
});
