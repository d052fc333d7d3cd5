/** The examples of the guide's pages, run against the real API; those about copies have a suite of their own (test/consume). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageValuesFrom } from '../../api/guide/facts.ts';
import { prepare } from '../../api/guide/pages.ts';
import type { Days } from '../support/api/open-api.ts';
import { canRun, examplesOf, isPrinted, runExample } from '../support/client/documented-examples.ts';
import { type ExamplePlace, hasPrograms, openExamplePlace } from '../support/client/example-place.ts';
import { useService } from '../support/client/service.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { GUIDE_FACTS } from '../support/guide/use-guide.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

/** Those whose programs other suites take out and run: copies, receivers, clients of MCP. */
const OTHERS = ['sync.md', 'webhooks.md', 'agents.md', 'mirror.md', 'without-a-key.md', 'clients.md'];
const FOLDER = join(ROOT, 'api/guide/pages');
const VALUES = pageValuesFrom({ ...GUIDE_FACTS, isLive: () => true });
const EXAMPLES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md') && !OTHERS.includes(name))
  .flatMap((name) =>
    examplesOf(prepare(readFileSync(join(FOLDER, name), 'utf8'), VALUES)).map((example) => ({ name, ...example })),
  );

/** Runs the examples against a service over these days. */
function useExamples(days: Days) {
  const service = useService({ days });
  let place: ExamplePlace;
  beforeAll(async () => {
    place = await openExamplePlace(service);
  });
  afterAll(() => place.remove());
  return (example: (typeof EXAMPLES)[number], skip: (condition: boolean, why: string) => void) => {
    skip(!canRun(example), 'a program or module that it needs is not here');
    return runExample(example, place);
  };
}

describe.skipIf(!hasPrograms('curl', 'jq'))('an example of the guide', () => {
  const run = useExamples(SAMPLE_DAYS);

  test('there are some, in three languages', () => {
    expect(new Set(EXAMPLES.map(({ language }) => language))).toEqual(new Set(['sh', 'python', 'ts']));
  });

  test.for(EXAMPLES)('$name, $number ($language), is answered', async (example, { skip }) => {
    const printed = await run(example, skip);
    expect(printed).not.toMatch(/"error"|null,null|^\s*$/);
    if (example.prints !== '')
      expect([example.prints, isPrinted(example.prints, printed)]).toEqual([example.prints, true]);
  });
});

/** As a service begins whose sources rank nothing. */
describe.skipIf(!hasPrograms('curl', 'jq'))('where no category is ranked', () => {
  const run = useExamples((store) => store.publish(SAMPLE_DAYS[2], { models: [{ id: 'new', name: 'New' }] }));

  test.for(EXAMPLES)('$name, $number ($language), is not refused', async (example, { skip }) => {
    const printed = await run(example, skip);
    expect(printed).not.toMatch(/"error"|"detail"/);
    if (example.code.includes('/v1/categories')) expect(printed).toBe('');
  });
});
