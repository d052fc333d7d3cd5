import { addDays, type Day, dayFromDate, daysBetween } from '../../../runtime/day.ts';
import type { Catalog } from '../../../schemas/catalog.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { Hold, Release } from '../../../schemas/release.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { SourceSettings } from '../../source/source-settings.ts';
import type { Check, RecordCounts } from './check.ts';
import {
  countsOf,
  findLosses,
  findUnusual,
  isNoticeable,
  type Loss,
  loadPastNights,
  type PastNights,
  shareOf,
} from './losses.ts';

export interface GuardInput {
  readonly checked: Check;
  readonly changed: RecordCounts;
  readonly settings: SourceSettings;
  /** Undefined before the first. */
  readonly previous: Release | undefined;
  readonly catalog: Catalog | undefined;
}

/**
 * Finds probable mistakes upstream (specification "Guard"): a dataset, or one of its upstreams, that loses too much or
 * more than usual; or too many suspects. Each holds the night until an operator accepts it. Past nights are loaded only
 * if needed.
 */
export async function guard(input: GuardInput, { store }: { readonly store: ObjectStore }): Promise<readonly Hold[]> {
  const { checked, changed, settings, previous } = input;
  const losses = findLosses(checked, changed, previous);
  const holds = [
    ...holdsOfDatasets(changed, settings),
    ...losses.flatMap((loss) => holdOfUpstream(loss, settings)),
    ...holdOfSuspects(checked, settings),
  ];
  const open = losses.filter((loss) => isNoticeable(loss, settings) && !holds.some((hold) => isAbout(hold, loss)));
  if (open.length === 0 || settings.usual_nights === 0) return holds;
  const datasets = new Set(open.map(({ dataset }) => dataset));
  const past = await loadPastNights(input.catalog, { datasets, nights: settings.usual_nights }, store);
  return [...holds, ...open.flatMap((loss) => holdOfUnusual(loss, past, settings))];
}

function holdsOfDatasets(changed: RecordCounts, settings: SourceSettings): readonly Hold[] {
  return DATASET_NAMES.flatMap((dataset): readonly Hold[] => {
    const [lost, before] = [changed.deleted[dataset], changed.previousRecords[dataset]];
    if (before === 0 || (lost <= settings.max_shrink * before && lost < before)) return [];
    const message = `${dataset} would lose ${lost} of ${before} records (${percent(lost / before)})`;
    return [
      { dataset, rule: 'max_shrink', message: `${message}; at most ${percent(settings.max_shrink)} may be lost` },
    ];
  });
}

/** A few rows may always be lost, but never all: then the upstream's response was empty. */
function holdOfUpstream(loss: Loss, settings: SourceSettings): readonly Hold[] {
  const { dataset, of, upstream, before, after } = loss;
  if (of !== 'rows' || upstream === undefined) return [];
  const isFew = before - after <= settings.min_shrink_records;
  if (after > 0 && (isFew || shareOf(loss) <= settings.max_shrink)) return [];
  const message = `${describeLoss(loss)}; at most ${percent(settings.max_shrink)} may be lost`;
  return [{ dataset, rule: 'max_shrink', upstream, message }];
}

function holdOfSuspects(checked: Check, settings: SourceSettings): readonly Hold[] {
  const [suspects, prices] = [checked.suspects.pending, checked.rows.pricing];
  if (prices === 0 || suspects <= settings.max_suspect_fraction * prices) return [];
  const message =
    `${suspects} of ${prices} prices are suspects (${percent(suspects / prices)}); ` +
    `at most ${percent(settings.max_suspect_fraction)} may be`;
  return [{ dataset: 'pricing', rule: 'max_suspect_fraction', message }];
}

function holdOfUnusual(loss: Loss, past: PastNights, settings: SourceSettings): readonly Hold[] {
  const exceeded = findUnusual(loss, countsOf(loss, past), settings);
  if (exceeded === undefined) return [];
  const usual = `judging by its last ${exceeded.nights} nights, at most ${percent(exceeded.upTo)} may be lost`;
  const { dataset, upstream } = loss;
  const whose = upstream === undefined ? {} : { upstream };
  return [{ dataset, rule: 'usual_shrink', ...whose, message: `${describeLoss(loss)}; ${usual}` }];
}

function isAbout({ dataset, rule, upstream }: Hold, loss: Loss): boolean {
  if (rule !== 'max_shrink' || dataset !== loss.dataset) return false;
  return loss.of === 'records' ? upstream === undefined : upstream === loss.upstream;
}

function describeLoss(loss: Loss): string {
  const { dataset, of, upstream, before, after } = loss;
  const whose = upstream === undefined ? dataset : `${dataset} of ${upstream}`;
  return `${whose} would shrink from ${before} to ${after} ${of} (by ${percent(shareOf(loss))})`;
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 1000) / 10} %`;
}

/**
 * Longer pauses are held where only this machine's clock gives the day. Smaller: more stores that paused for a season
 * are held. Larger: more wrong clocks publish a day that blocks every night until then.
 */
const REST_DAYS_MAX = 92;

export interface DayAhead {
  readonly day: Day;
  readonly now: Date;
  /** Of the newest release; undefined before the first. */
  readonly newest: Day | undefined;
  /** Whether the source has a folder named after the day. */
  readonly isDated: boolean;
}

/**
 * Holds a probably wrong clock (specification "Guard"; decision 0098): a day more than one after both the newest
 * release and the store's clock. A local folder has no clock; there, a long pause is held unless the source names the
 * day.
 */
export function holdOfDay(
  { day, now, newest, isDated }: DayAhead,
  store: Pick<ObjectStore, 'clockAheadMs'>,
): readonly Hold[] {
  if (newest !== undefined && day <= addDays(newest, 1)) return [];
  const after = newest === undefined ? `${day} would be the first day` : daysAfter(day, newest);
  const hint = "check this machine's clock: a day in the future blocks every night until then";
  const storeAheadMs = store.clockAheadMs();
  if (storeAheadMs !== undefined) {
    const storeDay = dayFromDate(new Date(now.getTime() + storeAheadMs));
    if (day <= addDays(storeDay, 1)) return [];
    return [{ rule: 'day_ahead', message: `${after}, and by the store's clock today is ${storeDay}; ${hint}` }];
  }
  const isRest = newest === undefined || daysBetween(newest, day) <= REST_DAYS_MAX;
  if (isDated || isRest || day !== dayFromDate(now)) return [];
  return [{ rule: 'day_ahead', message: `${after}, and only this machine's clock says so; ${hint}` }];
}

function daysAfter(day: Day, newest: Day): string {
  return `${day} is ${daysBetween(newest, day)} days after the newest snapshot ${newest}`;
}
