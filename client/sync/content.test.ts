import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collect } from '../../test/support/client/collect.ts';
import { differences } from './content.ts';

const benchmarks = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', '言', 'Z'), fc.constantFrom('one', 'two'));

const side = (names: Readonly<Record<string, string>>) => ({ lines: linesOf(names), place: 'a test' });

async function* linesOf(names: Readonly<Record<string, string>>): AsyncGenerator<string, void> {
  const ids = Object.keys(names).sort();
  for (const id of ids) yield JSON.stringify({ id, name: names[id] });
}

test('what differs between two datasets is each record that one lacks, or has otherwise, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(benchmarks, benchmarks, async (left, right) => {
      const found = await collect(differences('benchmarks', side(left), side(right)));
      const ids = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
      expect(found).toEqual(
        ids
          .filter((id) => left[id] !== right[id])
          .map((id) => ({
            key: [id],
            left: left[id] === undefined ? undefined : JSON.stringify({ id, name: left[id] }),
            right: right[id] === undefined ? undefined : JSON.stringify({ id, name: right[id] }),
          })),
      );
    }),
  );
});
