import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Ways to show `text` unescaped; each would be the only fault of a page. */
const FAULTS = {
  'a child of an element': '<p>{text}</p>',
  'a child of a component': '<Section title="t">{text}</Section>',
  'the first of two branches': "<p>{text.length > 9 ? text : 'none'}</p>",
  'the second of two branches': "<p>{text.length > 9 ? 'none' : text}</p>",
  'what stands for nothing': "<p>{text || 'none'}</p>",
  'a template': '<p>{`Hello $' + '{text}`}</p>',
  'the texts of a list': '<p>{[text].map((one) => one)}</p>',
  'a property that holds HTML': "<Facts items={[['a', text]]} />",
  'what a component returns': 'text',
  'a branch beside an element': "<p>{((shown) => shown)(text === '' ? <b /> : text)}</p>",
  'an element of a list of elements': '<p>{[<b />, text].slice()}</p>',
  'a function beside elements': "<p>{[text].map((one) => { if (one === '') return <b />; return one; })}</p>",
  'a name that says it is safe': '<p>{((safeText) => safeText)(text)}</p>',
  'a cast': "<p>{text as 'safe'}</p>",
  'a cast to an element': '<p>{text as JSX.Element}</p>',
  'a value without a type': '<p>{JSON.parse(text)}</p>',
};

test('the scan finds each way to show a text unescaped, planted into a copy of the console, and nothing else there', async ({
  onTestFinished,
}) => {
  const copy = await mkdtemp(join(tmpdir(), 'html-scan-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  for (const name of await readdir(ROOT)) {
    if (name !== 'console') await symlink(join(ROOT, name), join(copy, name));
  }
  await cp(join(ROOT, 'console'), join(copy, 'console'), { recursive: true });
  await mkdir(join(copy, 'console/planted'));
  const faults = Object.values(FAULTS);
  for (const [i, fault] of faults.entries()) {
    const page = `import { Facts, Section } from '../shell/parts.tsx';
export const parts = { Facts, Section };
export function Page({ text }: { readonly text: string }): JSX.Element {
  return ${fault};
}
`;
    await writeFile(join(copy, `console/planted/fault-${i}.tsx`), page);
  }

  const { code, lines } = await scan(copy);

  expect(code).toBe(1);
  for (const [i, fault] of faults.entries()) {
    expect(lines.join('\n'), fault).toContain(`console/planted/fault-${i}.tsx:4: `);
  }
  expect(lines.filter((line) => !line.startsWith('console/planted/'))).toEqual([]);
}, 120_000); // It reads the types of the whole program: ten seconds, where nothing else runs.

/** Runs the scan over the pages of a folder; resolves to its exit code and the places that it names. */
function scan(folder: string): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  return new Promise((resolve) => {
    const child = execFile(join(ROOT, 'scripts/html-scan.sh'), [folder], (_, stdout) => {
      resolve({ code: child.exitCode ?? -1, lines: stdout.trim().split('\n').slice(0, -1) });
    });
  });
}
