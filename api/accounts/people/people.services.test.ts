import { describeOnPostgres } from '../../../test/support/accounts/control-databases.ts';
import { describePeople } from './people.contract.ts';

describeOnPostgres((another) => describePeople('PostgreSQL', another));
