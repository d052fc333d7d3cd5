import { resolve } from 'node:path';
import { ulid } from 'ulid';
import type { NightDeps } from '../../../pipeline/night/night.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { duckdbSettings } from '../../config/configured-duckdb.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { configuredFetch } from '../../config/night/configured-fetch.ts';
import { configuredLimits } from '../../config/night/configured-limits.ts';

/** What a night is run with, as the configuration says. Rejects with `configuration` where the store's address is not valid. */
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
    workFolder: resolve(config.WORK),
    duckdb: duckdbSettings(config),
    limits: configuredLimits(config),
    fetching: configuredFetch(config, { toolVersion, onBegin: ({ file }) => onFile(file), onEnd: () => {} }),
    uploadsMax: config.UPLOADS_MAX,
    toolVersion,
    onStage,
  };
}
