import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { z } from 'zod';
import { buildProgram } from '../../bin/program.ts';
import { ROOT } from './documents/text-files.ts';

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
export type Service = z.infer<typeof ServiceSchema>;

const ComposeSchema = z.object({
  services: z.record(z.string(), ServiceSchema),
  volumes: z.record(z.string(), z.null()),
});

export function readDeployed(path: string): string {
  return readFileSync(join(ROOT, 'deploy', path), 'utf8');
}

/** deploy/compose.yaml, with what its variables say filled in. */
export function readCompose(variables: Readonly<Record<string, string>>): z.infer<typeof ComposeSchema> {
  return ComposeSchema.parse(filledIn(parse(readDeployed('compose.yaml'), { merge: true }), variables));
}

const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** The variables that compose.yaml asks for; with `?` they have to be set. */
export function variablesOfCompose(): readonly { readonly name: string; readonly isRequired: boolean }[] {
  const found = [...readDeployed('compose.yaml').matchAll(VARIABLE)];
  return found.map(([, name = '', kind]) => ({ name, isRequired: kind === '?' }));
}

/** As compose fills them in: in every text, when the document has been read. */
function filledIn(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return fillIn(value, variables);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filledIn(part, variables)]));
}

/** An empty variable counts as not set. */
function fillIn(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(VARIABLE, (_, name: string, kind: string | undefined, rest = '') => {
    const value = variables[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest;
  });
}

/** The lines `NAME=value` of a file of settings. */
export function readEnvFile(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_0-9]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** The units of systemd, by their names. */
export function readUnits(): readonly { readonly name: string; readonly text: string }[] {
  const names = readdirSync(join(ROOT, 'deploy/systemd')).filter((name) => name.endsWith('.service'));
  return names.map((name) => ({ name, text: readDeployed(`systemd/${name}`) }));
}

/** Calls the real program with words, and tells which command it would have run; throws as it would. */
export async function calledCommand(words: readonly string[]): Promise<string> {
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
