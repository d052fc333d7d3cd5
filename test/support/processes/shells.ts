import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Shell } from '../../../bin/commands/completion/completion.ts';

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function run(program: string, args: readonly string[], cwd: string): readonly string[] {
  const said = execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  });
  return said.split('\n').filter((line) => line !== '');
}

/** Shells that have read a script of completion: what each offers behind these words, of which the last may be empty or begun. */
export const ASKED_SHELLS: readonly {
  readonly program: Shell;
  readonly ask: (script: string, words: readonly string[], cwd: string) => readonly string[];
}[] = [
  {
    program: 'bash',
    ask(script, words, cwd) {
      const typed = words.map(quoted).join(' ');
      const ask = `set -u; . ${quoted(script)}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _modelstats`;
      const tell = `for word in "\${COMPREPLY[@]+"\${COMPREPLY[@]}"}"; do printf '%s\\n' "$word"; done`;
      return run('bash', ['--norc', '--noprofile', '-c', `${ask}; ${tell}`], cwd);
    },
  },
  {
    program: 'zsh',
    ask: (script, words, cwd) =>
      run('zsh', ['-f', join(import.meta.dirname, 'ask-zsh.zsh'), script, words.join(' ')], cwd),
  },
  {
    program: 'fish',
    ask(script, words, cwd) {
      const said = run(
        'fish',
        ['--no-config', '-c', `source ${quoted(script)}; complete -C ${quoted(words.join(' '))}`],
        cwd,
      );
      return said.map((line) => line.split('\t')[0] ?? '');
    },
  },
];
