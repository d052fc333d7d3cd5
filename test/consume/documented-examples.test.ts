/** The examples of the guide's pages about copies and clients, one after the other, against the real API. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRun, examplesIn, isPrinted, runExample } from '../support/client/documented-examples.ts';
import { type ExamplePlace, openExamplePlace } from '../support/client/example-place.ts';
import { useService } from '../support/client/service.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { COMMAND } from '../support/processes/cli.ts';

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;
const NEXT_DAYS = ['2026-06-04', '2026-06-06'];
/** The last day that the copies with history reach. */
const HISTORY_TO = '2026-06-04';

/** In the order in which they are run: each page goes on with the files of the ones before. */
const PAGES = ['sync.md', 'clients.md', 'mirror.md'];
/** Those for PostgreSQL and of generated clients have suites of their own. */
const EXAMPLES = PAGES.flatMap((page) =>
  examplesIn(join(import.meta.dirname, '../../api/guide/pages', page))
    .filter(({ how }) => !/PostgreSQL|openapi-/.test(how))
    .map((example) => ({ page, ...example })),
);

const service = useService({ days: (store) => publishFromFixture('days', store, DAYS) });
let place: ExamplePlace;
beforeAll(async () => {
  place = await openExamplePlace(service);
});
afterAll(() => place.remove());

describe.skipIf(!existsSync(COMMAND))('the guide', { timeout: 120_000 }, () => {
  test.for(EXAMPLES)('$page, example $number ($language), prints the output below it', async (example, { skip }) => {
    skip(!canRun(example), 'a program or module that it needs is not here');
    if (example.how === 'after another night') {
      const day = NEXT_DAYS.shift() ?? '';
      await service.publish(({ store }) => publishFromFixture('days', store, [day]));
    }
    const printed = await runExample(example, place);
    if (!isPrinted(example.prints, printed)) expect(printed).toBe(example.prints);
  });

  test.for(EXAMPLES.filter(({ how }) => how.startsWith('in history')))(
    '$page, example $number, a query for the prices of a day, gives those of every snapshot',
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
