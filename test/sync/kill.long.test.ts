import { describe } from 'vitest';
import { usePlaces } from '../support/client/service.ts';
import { describeKills } from './copies.contract.ts';

const next = usePlaces();
const KINDS = { 'a DuckDB file': '.duckdb', 'an SQLite file': '.sqlite', 'a folder': '' };

describe.each(Object.entries(KINDS))('%s', (name, ending) => {
  describeKills({ name, newPlace: async () => next(ending) });
});
