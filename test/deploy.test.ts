import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { configFromEnv, PREFIX, SETTING_SECTIONS } from '../bin/config/config.ts';
import { buildProgram } from '../bin/program.ts';
import { ROOT } from './support/documents/text-files.ts';
import { findProgram } from './support/processes/server-process.ts';
import { listenOnFreePort } from './support/processes/servers.ts';
import { newFolder } from './support/temporary-folder.ts';

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const linesOf = (path: string) => textOf(path).split('\n');

/** What the container's build reads: the folders that the compiler is given, the recipes, and what npm, tsc and its scripts need. */
function readByTheBuild(): readonly string[] {
  const { include } = JSON.parse(textOf('tsconfig.build.json'));
  const { scripts } = JSON.parse(textOf('package.json'));
  const configurations = [...String(scripts.build).matchAll(/tsc -p (\S+)/g)].map(([, name]) => String(name));
  const scriptFiles = [...String(scripts.build).matchAll(/node (\S+)/g)].map(([, name]) => String(name));
  const read = [...configurations, ...scriptFiles, ...include, 'sources'];
  return ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', ...read];
}

test('all that the container is built from goes to its build, and nothing else', () => {
  const [ignoreAll, ...letIn] = linesOf('deploy/Dockerfile.dockerignore').filter((line) => /^[^#]/.test(line));
  expect(ignoreAll).toBe('*');
  expect(letIn.map((line) => line.replace(/^!/, '')).sort()).toEqual([...readByTheBuild()].sort());
});

test('the container stands on the recommended Node', () => {
  const images = linesOf('deploy/Dockerfile').filter((line) => line.startsWith('FROM'));
  expect(images.map((line) => /node:(\d+)\.\d+\.\d+-/.exec(line)?.[1])).toEqual(['24', '24']);
  expect(new Set(images.map((line) => line.split(' ')[1])).size).toBe(1);
});

test('the container runs as a user of its own, who can write to its volume', () => {
  const lines = linesOf('deploy/Dockerfile');
  expect(lines).toEqual(expect.arrayContaining(['USER 1000:1000', 'VOLUME /work']));
  expect(lines.find((line) => line.startsWith('RUN install'))).toMatch(/--owner=node --group=node .*\/work$/);
});

/** What compose.yaml says of a service, as far as tests look. */
const ServiceSchema = z.object({
  image: z.string(),
  build: z.object({ dockerfile: z.string() }).optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  restart: z.string(),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  stop_grace_period: z.string().optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});
type Service = z.infer<typeof ServiceSchema>;

const ComposeSchema = z.object({
  services: z.record(z.string(), ServiceSchema),
  volumes: z.record(z.string(), z.null()),
});

/** deploy/compose.yaml, with what its variables say filled in. */
function readCompose(variables: Readonly<Record<string, string>>): z.infer<typeof ComposeSchema> {
  const fill = (_: unknown, value: unknown) => (typeof value === 'string' ? filledIn(value, variables) : value);
  return ComposeSchema.parse(parse(textOf('deploy/compose.yaml'), fill, { merge: true }));
}

const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** The variables that compose.yaml asks for; with `?` they have to be set. */
function variablesOfCompose(): readonly { readonly name: string; readonly isRequired: boolean }[] {
  const found = [...textOf('deploy/compose.yaml').matchAll(VARIABLE)];
  return found.map(([, name = '', kind]) => ({ name, isRequired: kind === '?' }));
}

/** An empty variable counts as not set. */
function filledIn(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(VARIABLE, (_, name: string, kind: string | undefined, rest = '') => {
    const value = variables[name] ?? '';
    if (value === '' && kind === '?') throw new Error(`${name}: ${rest}`);
    return value === '' ? rest : value;
  });
}

function readEnvFile(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_0-9]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** Calls the real program with words, and tells which command it would have run; throws as it would. */
async function calledCommand(words: readonly string[]): Promise<string> {
  let called = '';
  const program = buildProgram('0.0.0', async () => {});
  for (const command of [program, ...commandsOf(program)]) {
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    command.hook('preAction', (_, action) => {
      called = action.name();
    });
  }
  await program.parseAsync(words, { from: 'user' });
  return called;
}

function commandsOf(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...commandsOf(child)]);
}

/** A value for each variable of compose.yaml, as make-env.sh and an operator would give them. */
const VARIABLES = {
  ...readEnvFile(textOf('deploy/.env.example').replaceAll(/^#(?=[A-Z])/gm, '')),
  MINIO_ROOT_PASSWORD: 'root',
  STORE_WRITER_PASSWORD: 'writer',
  STORE_READER_PASSWORD: 'reader',
  POSTGRES_PASSWORD: 'postgres',
  MODELSTATS_SECRET_KEYS: Buffer.alloc(32, 1).toString('base64'),
};

describe('deploy/compose.yaml', () => {
  const { services, volumes } = readCompose(VARIABLES);
  const all = Object.entries(services);
  const ours = all.filter(([, { build }]) => build !== undefined);
  const settingsOf = ({ environment }: Service) =>
    Object.entries(environment).filter(([name]) => name.startsWith('MODELSTATS_'));

  test('asks for the variables that .env.example tells, and does without those that it leaves open', () => {
    const told = Object.keys(VARIABLES);
    expect(new Set(variablesOfCompose().map(({ name }) => name))).toEqual(new Set(told));
    const required = new Set(variablesOfCompose().flatMap(({ name, isRequired }) => (isRequired ? [name] : [])));
    expect(required).toEqual(new Set(Object.keys(readEnvFile(textOf('deploy/.env.example')))));
    const least = Object.fromEntries(Object.entries(VARIABLES).filter(([name]) => required.has(name)));
    for (const service of Object.values(readCompose(least).services)) configFromEnv(service.environment);
    expect(() => readCompose({ ...least, POSTGRES_PASSWORD: '' })).toThrow('POSTGRES_PASSWORD');
  });

  test('runs commands that there are', async () => {
    const called = await Promise.all(ours.map(([, { command = [] }]) => calledCommand(command)));
    expect(called.sort()).toEqual(['dispatch', 'nightly', 'schedule', 'serve']);
    await expect(calledCommand(['serve', '--with-consoles'])).rejects.toThrow('unknown option');
  });

  test.each(ours)('gives %s settings that there are, and that are right', (_, service) => {
    expect(settingsOf(service).length).toBeGreaterThan(2);
    expect(() => configFromEnv(service.environment)).not.toThrow();
    const known = SETTING_SECTIONS.flatMap(({ settings }) => settings.map(({ name }) => `${PREFIX}${name}`));
    for (const [name] of settingsOf(service)) expect(known).toContain(name);
  });

  test.each(ours)('mounts every path that %s writes to or reads from', (_, service) => {
    const mounted = [...service.volumes.map((volume) => volume.split(':')[1] ?? volume), ...service.tmpfs];
    const { environment, command = [] } = service;
    const paths = [...Object.values(environment), ...command].filter((value) => value.startsWith('/'));
    for (const path of [...paths, '/work'])
      expect(
        mounted.some((folder) => path === folder || path.startsWith(`${folder}/`)),
        path,
      ).toBe(true);
  });

  test('names volumes that there are, and files of this repository', () => {
    for (const volume of all.flatMap(([, service]) => service.volumes)) {
      const [source = ''] = volume.split(':').slice(0, -1);
      if (source.startsWith('.')) expect(existsSync(join(ROOT, 'deploy', source)), source).toBe(true);
      else if (/^[a-z]/.test(source)) expect(Object.keys(volumes)).toContain(source);
    }
  });

  test('grants no more than is needed', () => {
    for (const [name, service] of all) {
      expect(service.cap_drop, name).toEqual(['ALL']);
      expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
      for (const port of service.ports) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    }
    for (const [name, service] of ours) expect([name, service.read_only]).toEqual([name, true]);
    const knowRoot = all.filter(([, { environment }]) => environment['MINIO_ROOT_PASSWORD'] !== undefined);
    expect(knowRoot.map(([name]) => name)).toEqual(['minio', 'bucket']);
    const writers = ours.filter(([, { environment }]) => environment['AWS_ACCESS_KEY_ID'] === 'modelstats-writer');
    expect(writers.map(([name]) => name)).toEqual(['schedule', 'night']);
  });

  test('pins every image to a version', () => {
    const images = all.filter(([, { build }]) => build === undefined).map(([, { image }]) => image);
    for (const image of images) expect(image).toMatch(/:(RELEASE\.[\dTZ-]+|\d+\.\d+(\.\d+)?-\w+)$/);
  });

  test('looks at the health of all that goes on, and lets it end in time', () => {
    for (const [name, { restart, healthcheck }] of all)
      expect([name, healthcheck !== undefined]).toEqual([name, restart === 'unless-stopped']);
    const { stopTimeoutMs } = configFromEnv({}).process;
    for (const [name, { stop_grace_period = '' }] of ours)
      expect(Number.parseInt(stop_grace_period, 10), name).toBeGreaterThan(stopTimeoutMs / 1000);
  });

  test('starts what others need before them', () => {
    for (const [name, { depends_on }] of all)
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const ends = services[other]?.restart === 'no';
        expect(condition, `${name} after ${other}`).toBe(ends ? 'service_completed_successfully' : 'service_healthy');
      }
    expect(Object.keys(services['api']?.depends_on ?? {}).sort()).toEqual(['bucket', 'minio', 'postgres', 'redis']);
  });

  test('asks for health with commands that tell 200 from anything else', async () => {
    let status = 200;
    const server = createServer((_, reply) => reply.writeHead(status).end());
    const port = await listenOnFreePort(server);
    onTestFinished(() => void server.close());
    const tests = ours.flatMap(([, { healthcheck }]) => (healthcheck === undefined ? [] : [healthcheck.test]));
    const probes = tests.flatMap(([, program, ...args]) => (program === 'node' ? [args] : []));
    const fetching = probes.flatMap(([flag, code = '']) =>
      flag === '-e' ? [code.replace(/:\d+\//, `:${port}/`)] : [],
    );
    expect(fetching).toHaveLength(2);
    for (const code of fetching) {
      for (const answered of [200, 503]) {
        status = answered;
        const [exit] = await once(spawn(process.execPath, ['-e', code]), 'exit');
        expect([status, exit]).toEqual([status, answered === 200 ? 0 : 1]);
      }
    }
    const [, ...check] = probes.find(([first]) => first?.endsWith('modelstats.js')) ?? [];
    expect(await calledCommand(check)).toBe('schedule');
  });
});

test.skipIf(findProgram('openssl') === undefined)(
  'make-env.sh writes settings that compose takes, which nobody else reads, and never over others',
  async () => {
    const file = join(await newFolder(), '.env');
    const make = () => promisify(execFile)('sh', [join(ROOT, 'deploy/make-env.sh'), file]);
    await make();
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
    const made = readEnvFile(readFileSync(file, 'utf8'));
    const passwords = Object.values(made).slice(1);
    expect(new Set(passwords).size).toBe(5);
    for (const password of passwords) expect(password.length).toBeGreaterThanOrEqual(32);
    for (const service of Object.values(readCompose(made).services)) configFromEnv(service.environment);
    await expect(make()).rejects.toThrow(`${file} exists already`);
    expect(readEnvFile(readFileSync(file, 'utf8'))).toEqual(made);
  },
);

describe('deploy/systemd', () => {
  const names = readdirSync(join(ROOT, 'deploy/systemd')).filter((name) => name.endsWith('.service'));
  const units = names.map((name) => ({ name, text: textOf(`deploy/systemd/${name}`) }));
  const directive = (text: string, key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? '';

  test('has a service for each command that goes on, which there is', async () => {
    const words = units.map(({ text }) => directive(text, 'ExecStart').split(' ').slice(2));
    expect(await Promise.all(words.map(calledCommand))).toEqual(['serve', 'dispatch', 'schedule']);
  });

  test('lets a night end by itself, and everything in time', () => {
    const schedule = units.find(({ name }) => name === 'modelstats-schedule.service');
    expect(directive(schedule?.text ?? '', 'KillMode')).toBe('mixed');
    const { stopTimeoutMs } = configFromEnv({}).process;
    for (const { text } of units)
      expect(Number(directive(text, 'TimeoutStopSec'))).toBeGreaterThan(stopTimeoutMs / 1000);
  });

  test('grants no more than is needed', () => {
    for (const { text } of units) {
      expect(directive(text, 'User')).toBe('modelstats');
      expect(directive(text, 'ProtectSystem')).toBe('strict');
      expect(directive(text, 'NoNewPrivileges')).toBe('yes');
      expect(text).toMatch(/^CapabilityBoundingSet=$/m);
    }
  });

  test('has settings that there are, and that are right', () => {
    const example = textOf('deploy/systemd/modelstats.env').replaceAll(/^#(?=[A-Z])/gm, '');
    expect(Object.keys(readEnvFile(example)).length).toBeGreaterThan(8);
    expect(() => configFromEnv(readEnvFile(example))).not.toThrow();
  });
});
