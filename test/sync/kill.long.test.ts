import { describe } from 'vitest';
import { usePlaces } from '../support/client/service.ts';
import { describeKills } from './kill.contract.ts';

const next = usePlaces();

describe('a DuckDB file', () => describeKills({ name: 'a DuckDB file', newPlace: async () => next('.duckdb') }));
describe('an SQLite file', () => describeKills({ name: 'an SQLite file', newPlace: async () => next('.sqlite') }));
describe('a folder', () => describeKills({ name: 'a folder', newPlace: async () => next('') }));
