import { describe } from 'vitest';
import { useFolder } from '../support/client/service.ts';
import { describeKills, makeCopy } from './kill.contract.ts';

const place = useFolder();
let count = 0;

for (const [name, ending] of [
  ['a DuckDB file', '.duckdb'],
  ['an SQLite file', '.sqlite'],
  ['a folder', ''],
] as const) {
  describe(name, () => {
    describeKills({
      name,
      newPlace: async (service, { isOld }) => {
        count += 1;
        const into = place(`copy-${count}${ending}`);
        if (isOld) await makeCopy(service, into);
        return into;
      },
    });
  });
}
