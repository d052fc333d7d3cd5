import { describe } from 'vitest';
import { useMigratedSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeAdministration } from './administration.contract.ts';
import { describeReplay } from './replay.contract.ts';

const another = useMigratedSqlite();
describe('on SQLite', () => {
  describeAdministration('SQLite', another);
  describeReplay('SQLite', another);
});
