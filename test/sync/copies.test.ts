import { useFolder } from '../support/client/service.ts';
import { describeCopies } from './copies.contract.ts';

const place = useFolder();
let count = 0;
const next = async (ending: string) => {
  count += 1;
  return place(`copy-${count}${ending}`);
};

describeCopies({ name: 'a DuckDB file', newPlace: () => next('.duckdb') });
describeCopies({ name: 'an SQLite file', newPlace: () => next('.sqlite') });
describeCopies({ name: 'a folder', newPlace: () => next('') });
