import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from './program.ts';

/** The program, with what it writes; its commands do nothing. */
function program() {
  const written: string[] = [];
  const built = buildProgram('1.2.3', async () => {});
  for (const command of [built, ...commandsOf(built)]) {
    command.exitOverride();
    command.configureOutput({ writeOut: (text) => written.push(text), writeErr: (text) => written.push(text) });
  }
  return { built, written };
}

function commandsOf(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...commandsOf(child)]);
}

async function say(...words: readonly string[]): Promise<string> {
  const { built, written } = program();
  await built.parseAsync(words, { from: 'user' }).catch(() => undefined);
  return written.join('');
}

describe('an unknown command', () => {
  it.each([
    ['nigthly --source x', 'nightly'],
    ['orgs crate --name x', 'create'],
    ['backfill prices', 'pricing'],
  ])('%s is told with the nearest one', async (call, nearest) => {
    expect(await say(...call.split(' '))).toMatch(
      new RegExp(`^error: unknown command '\\w+'\\n\\(Did you mean ${nearest}\\?\\)`),
    );
  });

  it('that is like none is told all the same, whatever else was said', async () => {
    expect(await say('frobnicate')).toMatch(/^error: unknown command 'frobnicate'\n+\(see --help\)/);
    expect(await say('frobnicate', '--json', 'x')).toContain("error: unknown command 'frobnicate'");
  });
});
