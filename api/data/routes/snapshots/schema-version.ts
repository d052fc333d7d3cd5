import type { Manifest } from '../../../../schemas/manifest.ts';
import { findVersion, isVersion } from '../../../../schemas/versions/record-versions.ts';
import { queryProblem, type RequestProblem } from '../../../server/errors/http-error.ts';
import type { CheckedQuery } from '../../../server/parse-request.ts';
import type { RequestContext } from '../../answers/data-route.ts';
import { freeText } from '../../answers/parameters.ts';

/** `schema_version` of the snapshot routes (specification "Snapshot routes"). */
export function schemaVersion(description: string) {
  return freeText({ max: 20, description, example: '1.0' }).optional();
}

/** What is wrong with a version: it was neither announced nor in force when the newest release was published. */
export function findVersionProblems(
  { values }: CheckedQuery<{ readonly schema_version?: string | undefined }>,
  { versions, view }: Pick<RequestContext, 'versions' | 'view'>,
): readonly RequestProblem[] {
  const { schema_version: version } = values;
  if (version === undefined || findVersion(version, versions, view.newest) !== undefined) return [];
  const known = versions.filter((candidate) => findVersion(candidate.version, versions, view.newest) === candidate);
  const expected = known.map((candidate) => `'${candidate.version}'`).join(', ');
  const msg = `Input should be one of ${expected}, or the major part of one`;
  return [queryProblem('schema_version', version, { msg, type: 'enum', ctx: { expected } })];
}

/** Whether a snapshot is in the wanted version; all are where none is named. */
export function isInVersion({ schema_version: version }: Manifest, wanted: string | undefined): boolean {
  return wanted === undefined || isVersion(version, wanted);
}
