import { describeOnPostgres } from '../test/support/accounts/control-databases.ts';
import { describeAccounts } from './accounts.contract.ts';

describeOnPostgres((another) => describeAccounts('PostgreSQL', another));
