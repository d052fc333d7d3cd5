import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import type { FetchSetup } from '../../../pipeline/fetch/run-fetch.ts';
import type { NightDeps } from '../../../pipeline/night/night.ts';
import type { CommandContext } from '../../cli/command.ts';
import type { Config } from '../../config/config.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

/** A night's dependencies by the configuration. Rejects with `configuration` for an invalid store address. */
export async function nightDeps(
  context: CommandContext,
  {
    access,
    onStage,
    onFile,
  }: Pick<NightDeps, 'onStage'> & { readonly access: 'read' | 'write'; readonly onFile: (file: string) => void },
): Promise<NightDeps> {
  const { config, clock, toolVersion } = context;
  return {
    store: await openConfiguredStore(config, access),
    clock,
    newRunId: () => ulid(clock().getTime()),
    workFolder: resolve(config.places.work),
    duckdb: config.duckdb,
    limits: config.source,
    fetching: configuredFetch(config, { toolVersion, onBegin: ({ file }) => onFile(file), onEnd: () => {} }),
    uploadsMax: config.uploads.uploadsMax,
    toolVersion,
    onStage,
  };
}

/** Reads the secrets of sources here, since no other command needs them. */
export function configuredFetch(
  config: Config,
  { toolVersion, ...listeners }: Pick<FetchSetup, 'onBegin' | 'onEnd'> & { readonly toolVersion: string },
): FetchSetup {
  return {
    limits: { ...config.fetch, ratioMax: config.source.ratioMax },
    variables: process.env,
    allow: config.outbound.allow,
    userAgent: `modelstats/${toolVersion}`,
    random: Math.random,
    sleep: (ms) => wait(ms),
    ...listeners,
  };
}
