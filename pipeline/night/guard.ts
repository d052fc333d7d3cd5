import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { Hold } from '../../schemas/release.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import type { Check } from './check/check.ts';
import type { Diff } from './diff.ts';

/**
 * What makes the day look like a mistake upstream rather than news (specification "Guard"): a dataset that loses too many of
 * its records, or has too many suspects. Anything found holds the night until an operator accepts it.
 */
export function guard(check: Check, diff: Diff, settings: SourceSettings): readonly Hold[] {
  const shrunk = DATASET_NAMES.flatMap((dataset): readonly Hold[] => {
    const [lost, before] = [diff.deleted[dataset], diff.previousRecords[dataset]];
    if (before === 0 || (lost <= settings.max_shrink * before && lost < before)) return [];
    const message = `${dataset} would lose ${lost} of ${before} records (${percent(lost / before)})`;
    return [{ dataset, rule: 'max_shrink', message: `${message}; at most ${percent(settings.max_shrink)} may go` }];
  });
  const [suspects, prices] = [check.suspects.pending, check.rows.pricing];
  if (prices === 0 || suspects <= settings.max_suspect_fraction * prices) return shrunk;
  const message =
    `${suspects} of ${prices} prices are suspects (${percent(suspects / prices)}); ` +
    `at most ${percent(settings.max_suspect_fraction)} may be`;
  return [...shrunk, { dataset: 'pricing', rule: 'max_suspect_fraction', message }];
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 1000) / 10} %`;
}
