import { describe } from 'vitest';
import { usePlaces } from '../support/client/service.ts';
import { describeCopies } from './copies.contract.ts';

const next = usePlaces();

describe('on this machine', () => {
  describeCopies([
    { name: 'an SQLite file', newPlace: async () => next('.sqlite') },
    { name: 'a DuckDB file', newPlace: async () => next('.duckdb') },
    { name: 'a folder', newPlace: async () => next('') },
  ]);
});
