import { AppError } from '../../runtime/errors.ts';
import { EXPORT_HEADERS, EXPORT_TYPES, exportHandler } from '../data/exports/resolve-export.ts';
import { contentOf } from '../data/responses/dependencies.ts';
import { EXPORTS, ExportQuerySchema } from '../data/routes/exports.ts';
import { parseRequest, schemasOf } from '../server/parse-request.ts';
import type { View } from '../view/view.ts';
import { dayFromSnapshot } from '../view/view-meta.ts';
import type { PublicRoute } from './public-route.ts';

const SCHEMAS = schemasOf({ query: ExportQuerySchema });

/** `GET /v1/exports/latest/…`: programs that load it send no key (specification "Exports"). */
export const EXPORT_ROUTES: readonly PublicRoute[] = Object.values(EXPORTS).map(({ name, operationId, summary }) => ({
  ...SCHEMAS,
  path: `/v1/exports/latest/${name}`,
  type: EXPORT_TYPES[name],
  capability: 'exports',
  operation: { operationId: `${operationId}Latest`, summary: `${summary}; the newest, without a key` },
  documentedHeaders: EXPORT_HEADERS,
  read: (request) => {
    const { exclude } = parseRequest(SCHEMAS, request).query;
    const handler = exportHandler({
      name,
      isRestrictedExcluded: exclude !== undefined,
      snapshotOf: newestSnapshot,
      changedAt: (view) => contentOf(view, ['models', 'pricing']).changedAt,
    });
    return { effective: exclude ?? null, ...handler };
  },
}));

function newestSnapshot({ meta: { manifests }, newest: { day } }: View) {
  const snapshot = manifests.find((manifest) => dayFromSnapshot(manifest) === day);
  if (snapshot === undefined) throw new AppError('corrupt', `the view has no snapshot of ${day}`);
  return snapshot;
}
