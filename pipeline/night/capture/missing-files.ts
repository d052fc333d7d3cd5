/** Why a dataset is not captured, in words that begin with the cause. */
import type { DatasetName } from '../../../schemas/datasets.ts';
import { describeFailure, type RecordedFile } from '../../fetch/day/fetch-record.ts';

export const NO_FILE = 'no file today';

/** Of a dataset for which there is neither a file nor a SELECT. */
export function whyNoFile(dataset: DatasetName, fetched: readonly RecordedFile[]): string {
  const failed = fetched.find(({ status, file }) => status === 'failed' && file.startsWith(`${dataset}.`));
  return failed === undefined ? NO_FILE : describeFailure(failed);
}

/**
 * Of a dataset whose SELECT reads a file that isn't there.
 * @param path or a pattern that no file matches
 * @param absent those of `fetched` that no fetch has ever brought, whose columns nobody says
 */
export function whyMissing(path: string, fetched: readonly RecordedFile[], absent: readonly RecordedFile[]): string {
  const failed = fetched.find((one) => one.status === 'failed' && isIn(path, one));
  if (failed === undefined) return `${path} is not there, and source.sql reads it`;
  const advice = absent.includes(failed) ? '; with its columns in source.json the other upstreams would go on' : '';
  return `${describeFailure(failed)}, and source.sql reads it${advice}`;
}

function isIn(path: string, { file, carry }: RecordedFile): boolean {
  return path === file || (typeof carry?.folder === 'string' && path.startsWith(`${carry.folder}/`));
}

/** Of several files each upstream once. */
export function upstreamsOf(files: readonly RecordedFile[]): readonly string[] {
  return [...new Set(files.map(({ upstream }) => upstream))];
}
