import { addDays, dayFromDate } from '../../../../runtime/day.ts';
import { isAppError, messageFromError } from '../../../../runtime/errors.ts';
import { shownAddress } from '../../../../runtime/shown-address.ts';
import { loadRelease, newestEntry } from '../../../../storage/catalog.ts';
import { loadCatalogToContinue } from '../../../../storage/continue-catalog.ts';
import { type Finding, fail, ok, type Setup, warn } from '../finding.ts';
import { hasAccounts, publishesHere, servesHere } from '../use.ts';
import { probeStore } from './probe-store.ts';

/** A night of today may still be to come, or be tried again. */
const DAYS_OLD_USUAL = 1;

/** Whether the store can be read, what its newest snapshot is, and how old. */
export async function checkStore({ clock, grounds }: Setup): Promise<Finding> {
  const store = await grounds.store();
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
  const { config, grounds } = setup;
  await grounds.store();
  try {
    await probeStore(config);
    return ok('it can be written, and keeps conditional writes');
  } catch (error) {
    const store = shownAddress(config.STORE);
    const message = `${store} can't be written: ${messageFromError(error)}`;
    // One that ignores conditions can't be used at all; one that only lets read is enough for a server.
    const isUnfit = isAppError(error, 'configuration') && error.message.includes('written to safely');
    if (isUnfit || publishesHere(setup))
      return fail(message, 'nights are not published until it can: see "S3 and MinIO" in docs/operations.md');
    if (servesHere(setup) || hasAccounts(setup)) return ok(`${store} can only be read from here, as servers need it`);
    return warn(message, 'enough for servers, which only read; nights, prune and mirror need more rights');
  }
}
