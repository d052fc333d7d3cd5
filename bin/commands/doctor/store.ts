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
import { checkFolder } from './machine.ts';

/** Today's night may still be due, or be retried. */
const DAYS_OLD_USUAL = 1;

export async function checkStore({ clock, prerequisites }: Setup): Promise<Finding> {
  const store = await prerequisites.store();
  const { catalog } = await loadCatalogToContinue(store);
  const entry = newestEntry(catalog);
  if (entry === undefined)
    return warn(`${store.url} is readable but has no snapshots yet`, 'publish one: modelstats nightly --source DIR');
  await loadRelease(store, entry);
  const message = `${store.url}: ${catalog?.releases.length} snapshots, the newest of ${entry.day}`;
  const today = dayFromDate(clock());
  if (entry.day >= addDays(today, -DAYS_OLD_USUAL)) return ok(message);
  return warn(`${message}, but today is ${today}`, 'no night was published since: check the scheduler and its log');
}

/**
 * Whether the store can be written with conditions. Required where nights run; a server only reads. {@link checkStore}
 * reports an unreadable store.
 */
export async function checkStoreWrites(setup: Setup): Promise<Finding> {
  const { config, prerequisites } = setup;
  await prerequisites.store();
  try {
    await probeStore(config);
    return ok('writable, with conditional writes');
  } catch (error) {
    const store = shownAddress(config.places.store);
    const message = `${store} can't be written: ${messageFromError(error)}`;
    // A store without conditions is unusable; a read-only one suffices for a server.
    const isUnfit = isAppError(error, 'configuration') && error.message.includes('written to safely');
    if (isUnfit || publishesHere(setup))
      return fail(message, 'until it is writable no night is published: see "S3 and MinIO" in docs/operations.md');
    if (servesHere(setup) || hasAccounts(setup)) return ok(`${store} is read-only here, which is enough for servers`);
    return warn(message, 'enough for servers, which only read; nights, prune and mirror need write access');
  }
}

/**
 * Writes and removes a probe: on S3 that of conditional writes, in a folder a hidden file. Rejects with
 * `configuration`, or like the store.
 */
async function probeStore(config: Config): Promise<void> {
  const folder = folderFromUrl(config.places.store);
  if (folder === undefined) {
    await openConfiguredStore(config, 'write');
    return;
  }
  const { result, message } = await checkFolder('store', folder);
  if (result === 'fail') throw new AppError('configuration', message.replace(/^.* can't be written: /, ''));
}

/** For the whole response. */
const TIMEOUT_MS = 5_000;

/** Compares the clock with the S3 server's, which each response states, also a refusal; undefined for a folder. */
export async function checkStoreClock({ config, clock, prerequisites }: Setup): Promise<Finding | undefined> {
  if (!config.places.store.startsWith('s3://')) return undefined;
  const address = config.s3.endpoint ?? `https://s3.${config.s3.region ?? 'us-east-1'}.amazonaws.com`;
  const unknown = (why: string) => warn(`the time of ${address} is unknown: ${why}`, 'see the check of the store');
  try {
    const { headers } = await fetch(address, { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const date = new Date(headers.get('date') ?? '');
    return Number.isNaN(date.getTime()) ? unknown('the response has no date') : compareClocks(clock(), date, address);
  } catch (error) {
    await prerequisites.store(); // If that fails too, it is one cause.
    return unknown(messageFromError(error instanceof Error && error.cause !== undefined ? error.cause : error));
  }
}
