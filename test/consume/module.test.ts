/** The built package, as another program uses it: by its name, from a folder of its own. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../support/client/service.ts';
import { ROOT } from '../support/documents/text-files.ts';
import { useFolder } from '../support/temporary-folder.ts';

const { exports: EXPORTS } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string>>;
};

const service = useService({ days: ['2026-06-01'] });
const path = useFolder();
beforeAll(async () => {
  await mkdir(path('node_modules/@types'), { recursive: true });
  await symlink(ROOT, path('node_modules/modelstats'));
  await symlink(join(ROOT, 'node_modules/@types/node'), path('node_modules/@types/node'));
  await writeFile(path('package.json'), '{"type":"module"}');
  await writeFile(path('tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }));
});

/** What a careful program sets; declarations are looked at as well. */
const OPTIONS = {
  target: 'es2023',
  lib: ['es2024', 'dom'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: ['node'],
};

/** Uses each name that is exported, with the types that it says. */
const PROGRAM = `import { type Answer, ModelstatsClient } from 'modelstats/client';
import type { Model, Scores } from 'modelstats/client/answers';
import { ClientError, QuotaExceededError } from 'modelstats/client/errors';
import type { ScoreFilters } from 'modelstats/client/filters';
import { sync } from 'modelstats/sync';
import { checkCopy } from 'modelstats/sync/check';
import { openCopy, scratchFolderOf } from 'modelstats/sync/open-copy';
import { Scratch } from 'modelstats/sync/scratch';

const [url = '', key = '', into = ''] = process.argv.slice(2);
const client = new ModelstatsClient({ url, key });
const filters: ScoreFilters = { sort: '-value' };
const scores: Answer<Scores> = await client.listScores(filters);
const models: Model[] = [];
for await (const model of client.eachModel()) models.push(model);
const error = await client.getModel('nobody').catch((reason: unknown) => reason);
if (!(error instanceof ClientError) || error instanceof QuotaExceededError) throw error;
const copy = await openCopy(into, { memoryLimit: '500MB', threads: 1 });
const deps = { client, copy, scratch: new Scratch(scratchFolderOf(into)), clock: () => new Date() };
const { status } = await sync({ keepsHistory: false }, deps);
const { ok } = await checkCopy(deps);
await copy.close();
console.log(JSON.stringify([scores.body.total, models[0]?.id, error.code, status, ok]));
`;

const isBuilt = existsSync(join(ROOT, 'dist/client/client.d.ts'));

describe.skipIf(!isBuilt)('the built package, by its name', () => {
  test('has a file and types behind each name that it exports', () => {
    for (const file of Object.values(EXPORTS)) {
      expect(existsSync(join(ROOT, file)), file).toBe(true);
      expect(existsSync(join(ROOT, file.replace(/\.js$/, '.d.ts'))), `types of ${file}`).toBe(true);
    }
    const names = Object.keys(EXPORTS).map((name) => name.replace('.', 'modelstats'));
    expect([...PROGRAM.matchAll(/from '(modelstats[^']*)'/g)].map(([, name]) => name)).toEqual(names);
  });

  test('works in a program of a folder outside', async () => {
    await writeFile(path('program.ts'), PROGRAM);
    const { total } = (await service.client().listScores()).body;
    const [model] = (await service.client().listModels()).body.models;
    const args = [path('program.ts'), service.url, service.key, path('copy.sqlite')];
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), ...args], {
      cwd: path(),
    });
    expect(JSON.parse(stdout)).toEqual([total, model?.id, 'not_found', 'imported', true]);
  });

  test('type-checks there, and a wrong use does not', async () => {
    await writeFile(path('program.ts'), PROGRAM);
    await writeFile(path('wrong.ts'), PROGRAM.replace("sort: '-value'", "sort: '-name'"));
    const { stdout } = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', path()]);
    const complaints = String(stdout).trim().split('\n');
    expect(complaints).toEqual([expect.stringMatching(/wrong\.ts\(\d+,\d+\): error TS2322: .*-name/)]);
  });

  test('gives nothing else away', () => {
    const code = "import('modelstats/dist/api/accounts/accounts.js').catch(({ code }) => console.log(code))";
    const found = execFileSync(process.execPath, ['-e', code], { cwd: path(), encoding: 'utf8' });
    expect(found.trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});
