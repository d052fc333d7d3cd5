/** What an export is made of, and what its response depends on (specification "Exports"). */
import { z } from 'zod';
import { isAppError } from '../../../runtime/errors.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { notFound } from '../../server/errors/http-error.ts';
import type { Dependency, HandlerHeaders, LargeHandler } from '../../server/route.ts';
import type { View } from '../../view/view.ts';
import { SourceSchema } from '../../view/view-meta.ts';
import { EXPORTED, type ExportName, type Exports, isTooLarge, snapshotFile } from './exports.ts';

export const EXPORT_TYPES: Readonly<Record<ExportName, string>> = {
  'litellm.json': 'application/json; charset=utf-8',
  'models-dev.json': 'application/json; charset=utf-8',
  'prices.csv': 'text/csv; charset=utf-8',
};

/** Beside those of every response, by name. */
export const EXPORT_HEADERS: Readonly<Record<string, string>> = {
  'X-Restricted-Sources':
    'Sources that the export has, or may have, rows of and whose terms do not allow redistribution, or none',
};

export const EXCLUDABLE = ['restricted'] as const;

interface Wanted {
  readonly name: ExportName;
  readonly isRestrictedExcluded: boolean;
  readonly snapshotOf: (view: View) => Manifest;
  readonly changedAt: (view: View) => Date;
}

interface ExportContext {
  readonly view: View;
  readonly exports: Exports;
}

/** Throws `not_found` for an export that would be too large. */
export function exportHandler({
  name,
  isRestrictedExcluded,
  snapshotOf,
  changedAt,
}: Wanted): LargeHandler<ExportContext> & HandlerHeaders<ExportContext> {
  const snapshotIn = (view: View) => {
    const snapshot = snapshotOf(view);
    if (isTooLarge(snapshot)) throw notFound(null, 'This day is too large to export: download its snapshot');
    return snapshot;
  };
  return {
    dependsOn: ({ view }): Dependency => {
      const snapshot = snapshotIn(view);
      const content = EXPORTED.map((dataset) => snapshotFile(snapshot, dataset).content_sha256);
      const named = new Date(view.names.since.published_at);
      return {
        on: [content, view.names.value, restrictedIn(snapshot, view)],
        changedAt: new Date(Math.max(changedAt(view).getTime(), named.getTime())),
      };
    },
    headers: ({ view }) => {
      const snapshot = snapshotIn(view);
      const restricted = isRestrictedExcluded ? [] : restrictedIn(snapshot, view);
      return {
        'X-Data-As-Of': snapshot.data_as_of,
        'X-Restricted-Sources': restricted.join(', ') || 'none',
      };
    },
    large: async ({ view, exports }) => {
      const snapshot = snapshotIn(view);
      const without = isRestrictedExcluded ? restrictedIn(snapshot, view) : [];
      return exports.piecesOf({ name, snapshot, without }, view).catch((error: unknown) => {
        const isPruned = isAppError(error) && error.code === 'not_found';
        throw isPruned ? notFound(null, 'The snapshot of this day is no longer stored') : error;
      });
    },
  };
}

const SourcesSchema = z.array(SourceSchema);

/**
 * Upstreams of a snapshot whose terms don't allow to pass its records on; sorted. Manifests from before they had terms leave them to the
 * newest release.
 */
function restrictedIn(snapshot: Manifest, view: View): readonly string[] {
  const terms = EXPORTED.map((dataset) => snapshotFile(snapshot, dataset).terms);
  const said = terms.some((one) => one !== undefined)
    ? terms.flatMap((one) => one ?? [])
    : SourcesSchema.parse(JSON.parse(view.sources.value)).map(({ id, redistribution }) => ({
        source: id,
        redistribution,
      }));
  return [...new Set(said.filter(({ redistribution }) => !redistribution).map(({ source }) => source))].sort();
}
