import { describeOnPostgres } from '../../test/support/accounts/control-databases.ts';
import { describeEvents } from './publish-events.contract.ts';

describeOnPostgres((another) => describeEvents('PostgreSQL', another));
