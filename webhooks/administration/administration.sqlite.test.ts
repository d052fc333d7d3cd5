import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeAdministration } from './administration.contract.ts';
import { describeReplay } from './replay.contract.ts';

const another = useSqlite();
describeAdministration('SQLite', another);
describeReplay('SQLite', another);
