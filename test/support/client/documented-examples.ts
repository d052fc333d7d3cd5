/** The examples of the guide's pages, taken out of them and run. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import SqliteDatabase from 'better-sqlite3';
import { type ExamplePlace, hasPrograms } from './example-place.ts';
import { hasPython } from './python.ts';

/** A block of code that is run, with what stands below it. */
export interface Example {
  /** Its place among the examples, from 1. */
  readonly number: number;
  /** What its marker says behind `run`: `in copy.duckdb`. */
  readonly how: string;
  readonly language: string;
  readonly code: string;
  /** What it prints; `…` stands for anything within a line, and at the end on a line of its own for all lines that follow. */
  readonly prints: string;
}

const BLOCK = /(?:<!-- run([^>]*) -->\n)?```(\w*)\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g;

/** Tabs with their blocks, and the text below them. */
const TABS = /<!-- tabs.* -->\n((?:(?!<!-- end tabs)[\s\S])*)<!-- end tabs -->\n\n(```text\n[\s\S]*?```)/g;

/** What is shown and is no program. */
const SHOWN = ['json', 'text', 'html', ''];

/** Every block of a document but those in `text`; throws where one is not marked to be run. */
export function examplesIn(path: string): readonly Example[] {
  return examplesOf(readFileSync(path, 'utf8'));
}

export function examplesOf(text: string): readonly Example[] {
  const blocks = [...withOutputOfTabs(text).matchAll(BLOCK)].filter(
    ([, how, language = '']) => how !== undefined || !SHOWN.includes(language),
  );
  return blocks.map(([block, how, language = '', code = '', prints = ''], index) => {
    if (how === undefined) throw new Error(`this example is not run:\n${block}`);
    return { number: index + 1, how: how.trim(), language, code, prints: prints.trim() };
  });
}

/** The text below a group of tabs is the output of each of them: it is put below each. */
function withOutputOfTabs(text: string): string {
  return text.replaceAll(TABS, (_, blocks: string, output: string) =>
    blocks.replaceAll(/^```$/gm, (end) => `${end}\n\n${output}`),
  );
}

/** Whether this machine has what an example needs. Its marker names modules of Python: `run with pandas and duckdb`. */
export function canRun({ how, language, code }: Example): boolean {
  if (language === 'python') return hasPython('sys', ...(/^with (.*)/.exec(how)?.[1]?.split(' and ') ?? []));
  const programs = ['curl', 'jq', 'sqlite3', 'sha256sum'].filter((name) => new RegExp(`\\b${name} `).test(code));
  return language !== 'sh' || hasPrograms(...programs);
}

/** Runs an example; resolves to what it prints. Rejects where it fails. */
export async function runExample({ number, how, language, code }: Example, place: ExamplePlace): Promise<string> {
  const { folder, replaced, env } = place;
  const text = Object.entries(replaced).reduce((all, [shown, real]) => all.replaceAll(shown, real), code);
  const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1', ...env } };
  const run = async (command: string, args: readonly string[]) =>
    (await promisify(execFile)(command, args, options)).stdout.trim();
  switch (language) {
    case 'sh':
      return run('sh', ['-e', '-c', text]);
    case 'cron':
      return run('sh', ['-c', scriptOfCrontab(text)]);
    case 'ini':
      return firstLineOf(/^ExecStart=(.*)$/m.exec(text)?.[1] ?? '', options);
    case 'ts': {
      const file = join(folder, `example-${number}.mts`);
      await writeFile(file, text);
      return run(process.execPath, [file]);
    }
    case 'python':
      return place.python.run(text);
    case 'sql':
      return tableText(await query(how.replace(/^in /, ''), text, folder));
    default:
      throw new Error(`there is no way to run ${language}`);
  }
}

/** Whether what was printed is what the document says. */
export function isPrinted(expected: string, printed: string): boolean {
  const isBeginning = expected.endsWith('\n…');
  const pattern = (isBeginning ? expected.slice(0, -2) : expected)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('[^\\n]*')}${isBeginning ? '(?:\\n|$)' : '$'}`).test(printed);
}

export function tableText(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => row.map((value) => String(value ?? '')).join(' | ')).join('\n');
}

async function query(where: string, sql: string, folder: string): Promise<readonly (readonly unknown[])[]> {
  if (where.endsWith('.sqlite')) {
    const database = new SqliteDatabase(join(folder, where), { readonly: true });
    const rows = database.prepare<[], unknown[]>(sql).raw().all();
    database.close();
    return rows;
  }
  const isFile = where.endsWith('.duckdb');
  const instance = await DuckDBInstance.create(isFile ? join(folder, where) : ':memory:', {
    ...(isFile ? { access_mode: 'READ_ONLY' } : {}),
    file_search_path: folder,
  });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJS();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The variables of a crontab, and the command of its last line, as a script. */
function scriptOfCrontab(text: string): string {
  const lines = text.trim().split('\n');
  const command = lines.at(-1)?.split(' ').slice(5).join(' ');
  return [...lines.slice(0, -1).map((line) => `export ${line}`), command].join('\n');
}

/** Starts a service, and ends it once it has said something. */
async function firstLineOf(command: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
  const child = spawn('sh', ['-c', `exec ${command}`], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited.then(() => [''])]);
  child.kill('SIGTERM');
  await exited;
  return String(line);
}
