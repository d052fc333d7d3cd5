import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { callCli } from '../../../test/support/processes/cli.ts';
import { findProgram } from '../../../test/support/processes/server-process.ts';
import { ASKED_SHELLS } from '../../../test/support/processes/shells.ts';
import { useFolder } from '../../../test/support/temporary-folder.ts';
import { buildProgram } from '../../program.ts';
import { allNodes, treeOf } from './command-tree.ts';

/** A shell is started for each question. */
vi.setConfig({ testTimeout: 120_000 });

const program = buildProgram('1.2.3', async () => {});
const nodes = allNodes(treeOf(program));

const path = useFolder();
let place: string;
beforeAll(async () => {
  place = path('of people'); // Whose folders have blanks.
  await mkdir(join(place, 'raw data'), { recursive: true });
  await writeFile(join(place, 'raw.csv'), '');
});

for (const { program: shell, ask } of ASKED_SHELLS) {
  // Of a shell that isn't there nothing can be seen; bash is everywhere.
  describe.skipIf(shell !== 'bash' && findProgram(shell) === undefined)(`completion in ${shell}`, () => {
    let script: string;
    beforeAll(async () => {
      script = join(place, `modelstats.${shell}`);
      const { stdout } = await callCli(['completion', shell]);
      await writeFile(script, stdout);
    });
    const offered = (...words: readonly string[]) => new Set(ask(script, ['modelstats', ...words], place));

    test('every command is offered behind the words before it', () => {
      for (const { words, children } of nodes.filter((node) => node.children.length > 0)) {
        const before = words === '' ? [] : words.split(' ');
        const names = children.map((child) => child.words.split(' ').at(-1) ?? '');
        expect(offered(...before, ''), words).toEqual(new Set(names));
      }
      expect(offered('orgs', 'cr')).toEqual(new Set(['create']));
    });

    test("a command's options are offered where one is begun, and no others", () => {
      expect(offered('orgs', 'set-email', '--')).toEqual(new Set(['--org', '--email', '--json', '--help']));
      expect(offered('nightly', '--acc')).toEqual(new Set(['--accept', '--accept-suspect']));
      expect(offered('prune', '--org')).toEqual(new Set());
    });

    test('words of a closed set are offered as values of options and arguments', () => {
      const plans = new Set(['community', 'builder', 'commercial']);
      expect(offered('orgs', 'create', '--name', 'orgs', '--plan', '')).toEqual(plans);
      expect(offered('orgs', 'set-plan', '--month-ends', '')).toEqual(new Set(['yes', 'no']));
      expect(offered('completion', '')).toEqual(new Set(['bash', 'zsh', 'fish']));
    });

    test('folders are offered where a folder belongs, files too where a file does, and nothing for an id', () => {
      const paths = (...words: readonly string[]) =>
        [...offered(...words)].map((name) => name.replaceAll(/[\\/]/g, '')).filter((name) => name.startsWith('raw'));
      expect(paths('nightly', '--source', 'ra')).toEqual(['raw data']);
      expect(paths('init', 'ra')).toEqual(['raw data']);
      expect(paths('backfill', 'pricing', '--table', 'ra').sort()).toEqual(['raw data', 'raw.csv']);
      expect(paths('keys', 'create', '--org', 'ra')).toEqual([]);
    });
  });
}

test('the script comes as JSON too', async () => {
  const { stdout } = await callCli(['completion', 'bash', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    shell: 'bash',
    script: expect.stringContaining('complete -F _modelstats modelstats'),
  });
});
