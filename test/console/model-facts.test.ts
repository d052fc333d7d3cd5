import { expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import { MOVED, publishRatedDays } from '../worlds/rated-days.ts';

const console = useConsole({ days: (store) => publishRatedDays(store), now: `${MOVED}T12:00:00Z` });

test('a model shows its fields of version 1.2 where they are known, and only there', async () => {
  const { org, ada } = await console.own();
  const pageOf = async (id: string) => (await ada.get(`/console/orgs/${org}/data/models/${id}`)).body;
  const facts = ['Status', 'Retires on', 'Replaced by', 'Knowledge until', 'Weights', 'Modalities', 'Capabilities'];
  const page = await pageOf('same');
  for (const fact of facts) expect(page).toContain(`>${fact}<`);
  for (const value of [
    'deprecated',
    '2028-03-01',
    'not-listed',
    '64,000 tokens',
    '2026-06',
    'not open',
    'image, text to text',
  ]) {
    expect(page).toContain(`>${value}<`);
  }
  const plain = await pageOf('plain');
  expect(facts.filter((fact) => plain.includes(`>${fact}<`))).toEqual([]);
  expect(plain).toContain('>Last changed<');
});
