/**
 * JSON Schemas (draft 2020-12) of records, events and manifests, a file per version of the records (specification "JSON Schemas"). A
 * file never changes its meaning. As in the OpenAPI document, objects are open and so are sets of names: later versions add to them.
 */
import type { FastifyInstance } from 'fastify';
import { ChangeSchema } from '../../schemas/change.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { ManifestSchema } from '../../schemas/manifest.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { getVersion, type VersionedDay } from '../../schemas/record-versions.ts';
import { recordSchema } from '../../schemas/records.ts';
import { Asset, bindAsset } from '../server/assets.ts';
import { bindRoute } from '../server/bind-route.ts';
import { type JsonSchema, SchemaCollector } from './openapi/operation.ts';
import { JSON_TYPE } from './responses/data-responses.ts';

export const SCHEMA_NAMES = [...DATASET_NAMES, 'event', 'manifest'] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** Below the base path. */
const FOLDER = '/schemas';

export interface JsonSchemaDeps {
  readonly versions: readonly RecordVersion[];
  readonly views: { current(): { readonly newest: VersionedDay } };
  /** What addresses begin with: scheme, host and base path, or the base path alone. */
  readonly serverUrl: string;
}

/** `/schemas/1.2/models.json`, and `/schemas/models.json`, which leads to the version in force. */
export function addJsonSchemas(app: FastifyInstance, { versions, views, serverUrl }: JsonSchemaDeps): void {
  const assets = new Map<string, Asset>();
  for (const version of versions) {
    for (const name of SCHEMA_NAMES) {
      bindAsset(app, [pathOf(name, version)], () => {
        const known = assets.get(pathOf(name, version));
        if (known !== undefined) return known;
        const text = JSON.stringify(jsonSchema(name, version, serverUrl));
        const made = new Asset(JSON_TYPE, Buffer.from(text), { 'Cache-Control': 'public, max-age=86400, immutable' });
        assets.set(pathOf(name, version), made);
        return made;
      });
    }
  }
  for (const name of SCHEMA_NAMES) {
    bindRoute(app, {
      path: `${FOLDER}/${name}.json`,
      respond: async () => {
        const { version } = getVersion(versions, views.current().newest.schema_version);
        const headers = { Location: `${version}/${name}.json`, 'Cache-Control': 'public, max-age=60' };
        return { status: 302, headers, body: undefined };
      },
    });
  }
}

function pathOf(name: SchemaName, { version }: RecordVersion): string {
  return `${FOLDER}/${version}/${name}.json`;
}

export function jsonSchema(name: SchemaName, version: RecordVersion, serverUrl: string): JsonSchema {
  const schemas = new SchemaCollector();
  const schema = schemaOf(name, version, schemas);
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: serverUrl + pathOf(name, version),
    title: `${name} in version ${version.version} of the records`,
    ...schema,
    ...(Object.keys(schemas.components).length === 0 ? {} : { $defs: schemas.components }),
  };
  return JSON.parse(JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/$defs/'));
}

function schemaOf(name: SchemaName, { datasets }: RecordVersion, schemas: SchemaCollector): JsonSchema {
  switch (name) {
    case 'event':
      return eventSchema(schemas);
    case 'manifest':
      return { description: 'A snapshot and its files', ...schemas.schemaFrom(ManifestSchema, 'output') };
    default: {
      const schema = schemas.schemaFrom(recordSchema(name, datasets[name]), 'output');
      return { description: `One record per ${DATASETS[name].grain}`, ...schema };
    }
  }
}

/** The records are those of the same folder. */
function eventSchema(schemas: SchemaCollector): JsonSchema {
  const isOf = (dataset: DatasetName, op: 'upsert' | 'delete') => ({
    properties: { entity_type: { const: DATASETS[dataset].entityType }, op: { const: op } },
  });
  const inFeed = DATASET_NAMES.filter((dataset) => DATASETS[dataset].entityType !== null);
  const upserts = inFeed.map((dataset) => ({
    if: isOf(dataset, 'upsert'),
    // biome-ignore lint/suspicious/noThenProperty: A keyword of JSON Schema.
    then: { properties: { data: { $ref: `${dataset}.json` } } },
  }));
  return {
    description: 'One event of the change feed',
    ...schemas.schemaFrom(ChangeSchema, 'output'),
    allOf: upserts,
  };
}
