import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../bin/program.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { toldCommands } from '../support/documents/usage.ts';

/** What a contract may say, which the specification calls `[terms]`. */
const TERMS = [
  ...['--status', '--period-end', '--grace-until', '--daily-quota', '--burst', '--history-months', '--features'],
  ...['--snapshots', '--month-ends', '--attribution-required', '--redistribution-allowed'],
];

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

function leavesOf(command: Command, words: readonly string[] = []): readonly Leaf[] {
  if (command.commands.length === 0) return [{ name: words.join(' '), command }];
  return command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]));
}

const leaves = leavesOf(buildProgram('0.0.0', async () => {}));
const section = /### Commands\n+```\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/specification.md'), 'utf8'));

test('the commands and their options are those of the specification', () => {
  const told = toldCommands(section?.[1] ?? '').map(({ required, optional, hasTerms, ...rest }) => ({
    ...rest,
    required: [...required].sort(),
    optional: [...optional, ...(hasTerms ? TERMS : [])].sort(),
  }));
  const built = leaves.map(({ name, command }) => {
    const options = command.options.filter(({ long }) => long !== '--json');
    const longs = (isMandatory: boolean) =>
      options.filter(({ mandatory }) => mandatory === isMandatory).map(({ long }) => long ?? '');
    return {
      name,
      required: longs(true).sort(),
      optional: longs(false).sort(),
      parameters: command.registeredArguments.map(({ required }) => (required ? 'required' : 'optional')),
    };
  });
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  const isRequired = (word: string) => (word.startsWith('[') ? 'optional' : 'required');
  expect(built.sort(byName)).toEqual(
    told.map((command) => ({ ...command, parameters: command.parameters.map(isRequired) })).sort(byName),
  );
});

test('every command takes --json, and its help shows an example', () => {
  expect(leaves.length).toBeGreaterThan(15);
  for (const { name, command } of leaves) {
    const written: string[] = [];
    command.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp();
    const help = written.join('');
    expect(help, name).toMatch(/--json +\S/);
    expect(help, name).toMatch(new RegExp(`\nExamples?:\n  .*modelstats ${name}`));
  }
});
