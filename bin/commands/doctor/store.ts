import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { AppError, isAppError, messageFromError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import { loadCatalogToContinue, loadRelease, newestEntry } from '../../../storage/catalog.ts';
import { folderFromUrl } from '../../../storage/open-store.ts';
import type { Config } from '../../config/config.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import {
  compareClocks,
  type Finding,
  fail,
  hasAccounts,
  ok,
  publishesHere,
  type Setup,
  servesHere,
  warn,
} from './check.ts';
import { lookAtFolder } from './machine.ts';

/** A night of today may still be to come, or be tried again. */
const DAYS_OLD_USUAL = 1;

/** Whether the store can be read, what its newest snapshot is, and how old. */
export async function checkStore({ clock, prerequisites }: Setup): Promise<Finding> {
  const store = await prerequisites.store();
  const { catalog } = await loadCatalogToContinue(store);
  const entry = newestEntry(catalog);
  if (entry === undefined)
    return warn(`${store.url} can be read, and holds no snapshots yet`, 'publish one: modelstats nightly --source DIR');
  await loadRelease(store, entry);
  const told = `${store.url}: ${catalog?.releases.length} snapshots, the newest of ${entry.day}`;
  const today = dayFromDate(clock());
  if (entry.day >= addDays(today, -DAYS_OLD_USUAL)) return ok(told);
  return warn(`${told}, and today is ${today}`, 'no night was published since: look at the scheduler and its log');
}

/**
 * Whether it can be written, and keeps conditions, as every command that writes proves first. Where nights are run it has to; a server
 * only reads. One that can't even be read is the matter of {@link checkStore}.
 */
export async function checkStoreWrites(setup: Setup): Promise<Finding> {
  const { config, prerequisites } = setup;
  await prerequisites.store();
  try {
    await probeStore(config);
    return ok('it can be written, and keeps conditional writes');
  } catch (error) {
    const store = shownAddress(config.places.store);
    const message = `${store} can't be written: ${messageFromError(error)}`;
    // One that ignores conditions can't be used at all; one that only lets read is enough for a server.
    const isUnfit = isAppError(error, 'configuration') && error.message.includes('written to safely');
    if (isUnfit || publishesHere(setup))
      return fail(message, 'nights are not published until it can: see "S3 and MinIO" in docs/operations.md');
    if (servesHere(setup) || hasAccounts(setup)) return ok(`${store} can only be read from here, as servers need it`);
    return warn(message, 'enough for servers, which only read; nights, prune and mirror need more rights');
  }
}

/**
 * Writes something small to the store and removes it: on S3 the probe of conditional writes, in a folder a file that no listing shows.
 * Rejects with `configuration`, or as the store does.
 */
async function probeStore(config: Config): Promise<void> {
  const folder = folderFromUrl(config.places.store);
  if (folder === undefined) {
    await openConfiguredStore(config, 'write');
    return;
  }
  const { result, message } = await lookAtFolder('store', folder);
  if (result === 'fail') throw new AppError('configuration', message.replace(/^.* can't be written: /, ''));
}

/** For the whole answer. */
const TIMEOUT_MS = 5_000;

/** How this clock stands to that of the S3 server, which tells its time with any answer, also a refusal; undefined for a folder. */
export async function checkStoreClock({ config, clock, prerequisites }: Setup): Promise<Finding | undefined> {
  if (!config.places.store.startsWith('s3://')) return undefined;
  const address = config.s3.endpoint ?? `https://s3.${config.s3.region ?? 'us-east-1'}.amazonaws.com`;
  const unknown = (why: string) => warn(`the time of ${address} is not known: ${why}`, 'see what the store says');
  try {
    const { headers } = await fetch(address, { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const date = new Date(headers.get('date') ?? '');
    return Number.isNaN(date.getTime()) ? unknown('it tells none') : compareClocks(clock(), date, address);
  } catch (error) {
    await prerequisites.store(); // Where that can't be reached either, it is one cause.
    return unknown(messageFromError(error instanceof Error && error.cause !== undefined ? error.cause : error));
  }
}
