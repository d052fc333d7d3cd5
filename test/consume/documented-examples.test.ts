/** api/guide/pages/sync.md, example by example, against the real API. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Example, examplesIn, isPrinted, runExample } from '../support/client/documented-examples.ts';
import { type ExamplePlace, hasPrograms, hasPython, openExamplePlace } from '../support/client/example-place.ts';
import { useService } from '../support/client/service.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { COMMAND } from '../support/processes/cli.ts';

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
const NEXT_DAYS = ['2026-06-04', '2026-06-06'];
/** The last day that the copies with history reach. */
const HISTORY_TO = '2026-06-04';

/** Those for PostgreSQL have a suite of their own. */
const EXAMPLES = examplesIn(join(import.meta.dirname, '../../api/guide/pages/sync.md')).filter(
  ({ how }) => !how.includes('PostgreSQL'),
);

const service = useService({ days: (store) => publishFromFixture('days', store, DAYS) });
let place: ExamplePlace;
beforeAll(async () => {
  place = await openExamplePlace(service);
});
afterAll(() => place.remove());

/** Whether this machine has what an example needs. */
function canRun({ how, language, code }: Example): boolean {
  if (language === 'python') return hasPython(...how.replace(/^with /, '').split(' and '));
  const programs = ['curl', 'jq', 'sqlite3', 'sha256sum'].filter((name) => new RegExp(`\\b${name} `).test(code));
  return language !== 'sh' || hasPrograms(...programs);
}

describe.skipIf(!existsSync(COMMAND))('api/guide/pages/sync.md', { timeout: 120_000 }, () => {
  test.for(EXAMPLES)('example $number ($language) prints what stands below it', async (example, { skip }) => {
    skip(!canRun(example), 'a program or module that it needs is not here');
    if (example.how === 'after another night') {
      const day = NEXT_DAYS.shift() ?? '';
      await service.publish(({ store }) => publishFromFixture('days', store, [day]));
    }
    const printed = await runExample(example, place);
    if (!isPrinted(example.prints, printed)) expect(printed).toBe(example.prints);
  });

  test.for(EXAMPLES.filter(({ how }) => how.startsWith('in history')))(
    'example $number, a query for the prices of a day, gives those of every snapshot',
    async (example) => {
      const releases = await listReleases(service.api.store);
      const reached = releases.filter(({ day }) => day <= HISTORY_TO);
      expect(reached).toHaveLength(DAYS.length + 1);
      for (const release of reached) {
        const lines = (await readSnapshot(service.api.store, release, 'pricing')).split('\n').slice(0, -1);
        const prices = lines.map((line) => JSON.parse(line));
        const code = example.code.replace(DAYS[0], release.day);
        expect(`${await runExample({ ...example, code }, place)}\n`, release.day).toBe(
          prices.map((price) => `${price.model_id} | ${price.provider} | ${price.input_per_million ?? ''}\n`).join(''),
        );
      }
    },
  );
});
