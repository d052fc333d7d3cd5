import { useFolder } from '../support/client/service.ts';
import { describeRealDays } from './real-days.contract.ts';

const place = useFolder();
let count = 0;
const next = async (ending: string) => {
  count += 1;
  return place(`copy-${count}${ending}`);
};

describeRealDays([
  { name: 'a DuckDB file', newPlace: () => next('.duckdb') },
  { name: 'an SQLite file', newPlace: () => next('.sqlite') },
  { name: 'a folder', newPlace: () => next('') },
]);
