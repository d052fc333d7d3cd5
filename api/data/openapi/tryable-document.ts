import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { nullable, text } from '../../../storage/duckdb/row-shape.ts';
import type { View } from '../../view/view.ts';
import { groupByDay } from '../../view/view-meta.ts';

type Parameter = OpenApi.ParameterObject | OpenApi.ReferenceObject;

/** Which of the served ids a parameter takes, by its name. */
const TAKES: Readonly<Record<string, keyof ServedIds>> = {
  id: 'model',
  model_id: 'model',
  category: 'category',
  category_id: 'category',
  snapshot_id: 'snapshot',
};

/** Linked from the page, and nothing to try on it: a browser hangs for many seconds over so much JSON, drawn with all its colours. */
const DOCUMENT = '/openapi.json';

/**
 * The document as the reference shows it (specification "The reference"): a request of it works as it stands. What must be given is
 * filled in, with ids that are served; what may be given shows an example and is left out of the request until it is ticked. The first line
 * leads to the guide, to which the page has no other way.
 *
 * @param root what stands before every path: requests go to where the page came from, whatever the document calls the service
 */
export function tryableDocument(
  document: OpenApi.Document,
  { root, served }: { readonly root: string; readonly served: ServedIds },
): OpenApi.Document {
  const { info, paths = {}, components = {} } = document;
  const tryable = (parameter: Parameter) => tryableParameter(parameter, served);
  const operations = Object.entries(paths).filter(([path]) => path !== DOCUMENT);
  const tried = operations.map(([path, { get, ...item } = {}]) => {
    if (get === undefined) return [path, item] as const; // Every operation is a GET.
    return [path, { ...item, get: { ...get, parameters: (get.parameters ?? []).map(tryable) } }] as const;
  });
  const shared = Object.entries(components.parameters ?? {}).map(([name, parameter]) => [name, tryable(parameter)]);
  return {
    ...document,
    info: { ...info, description: `[Documentation](${root}/docs)\n\n${info.description ?? ''}` },
    servers: [{ url: root === '' ? '/' : root }],
    externalDocs: { description: 'The OpenAPI document, for programs', url: root + DOCUMENT },
    paths: Object.fromEntries(tried),
    components: { ...components, parameters: Object.fromEntries(shared) },
  };
}

function tryableParameter(parameter: Parameter, served: ServedIds): Parameter {
  if ('$ref' in parameter) return parameter;
  const { example, ...rest } = parameter;
  const takes = TAKES[parameter.name];
  const value: unknown = (takes && served[takes]) ?? example;
  // Scalar's own word for "not in the request"; without it, every example would be.
  const shown: OpenApi.ExampleObject & { readonly 'x-disabled': boolean } = {
    value,
    'x-disabled': parameter.required !== true,
  };
  return value === undefined ? rest : { ...rest, examples: { default: shown } };
}

/** Something of each kind that a request can name; undefined where there is none. */
export interface ServedIds {
  readonly model?: string | undefined;
  readonly category?: string | undefined;
  readonly snapshot?: string | undefined;
}

/** One row: the best model of the first category; where nothing is ranked, the first model; where there is no model, none. */
const SQL = `
  SELECT models.id AS model, rankings.category
  FROM models LEFT JOIN rankings ON rankings.model_id = models.id
  ORDER BY rankings.category NULLS LAST, rankings.rank, models.pos
  LIMIT 1`;

/** Ids that a view answers for: those of a model that most is known of, and the newest snapshot. */
export async function findServedIds(view: View): Promise<ServedIds> {
  const [row] = await view.rows({ model: text, category: nullable(text) }, SQL);
  const newest = [...groupByDay(view.meta.manifests).values()].at(-1)?.[0];
  return { model: row?.model, category: row?.category ?? undefined, snapshot: newest?.id };
}
