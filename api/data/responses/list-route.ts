import { z } from 'zod';
import type { RequestProblem } from '../../server/errors/http-error.ts';
import type { CheckedQuery } from '../../server/parse-request.ts';
import type { Dependency, ParametersSchema } from '../../server/route.ts';
import type { JsonText } from '../../view/view.ts';
import { findCursorProblem } from '../queries/conditions.ts';
import { type ListQuery, listPage } from '../queries/list-page.ts';
import {
  type DataCapability,
  type DataRoute,
  dataRoute,
  jsonArray,
  jsonObject,
  type RequestContext,
  type RouteDescription,
} from './data-route.ts';
import { freeText, integer } from './parameters.ts';

/** A list, without what all lists share: limit, cursor, total and next_cursor. */
export interface ListRouteDefinition<Filters, Name extends string, Item extends z.ZodType, Before extends z.ZodRawShape>
  extends Pick<RouteDescription, DescribedByList> {
  /** Default: `current`. */
  readonly capability?: DataCapability;
  /** Besides `limit` and `cursor`. */
  readonly filters: ParametersSchema<Filters>;
  /** Records per page. */
  readonly limit: { readonly max: number; readonly fallback: number };
  /** The body's name in the OpenAPI document. */
  readonly bodyName: string;
  readonly records: { readonly name: Name; readonly schema: z.ZodArray<Item> };
  /** Fields before the records. */
  readonly before?: {
    readonly schema: Before;
    readonly values: (filters: Filters, context: RequestContext) => Readonly<Record<string, JsonText>>;
  };
  /** For problems across parameters that are valid one by one. */
  readonly check?: (filters: CheckedQuery<Filters>) => readonly RequestProblem[];
  /** Beside the parameters. */
  readonly dependsOn: (filters: Filters, context: RequestContext) => Dependency;
  /** Rejects with `not_found` if a filter names an id that never existed; undefined: any value is valid. */
  readonly assertExists?: (filters: Filters, context: RequestContext) => Promise<void>;
  /** Which records, in which order. */
  readonly list: (filters: Filters, context: RequestContext) => Omit<ListQuery, 'limit' | 'cursor'>;
}

type DescribedByList =
  | 'path'
  | 'operationId'
  | 'limitPerMinute'
  | 'summary'
  | 'description'
  | 'example'
  | 'dependsOnText';

interface PageParameters {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

type ListBody<Name extends string, Item extends z.ZodType, Before extends z.ZodRawShape> = {
  readonly [Field in keyof Before]: z.output<Before[Field]>;
} & { readonly [Field in Name]: readonly z.output<Item>[] } & z.output<z.ZodObject<typeof LIST_FIELDS>>;

/** A paged list of current records (specification "Lists"): `{…, <records>: […], total, next_cursor}`. */
export function listRoute<
  Filters,
  Name extends string,
  Item extends z.ZodType,
  Before extends z.ZodRawShape = Readonly<Record<never, z.ZodType>>,
>(
  definition: ListRouteDefinition<Filters, Name, Item, Before>,
): DataRoute<unknown, Filters & PageParameters, ListBody<Name, Item, Before>> {
  const {
    capability = 'current',
    filters,
    limit,
    bodyName,
    records,
    before,
    check,
    dependsOn,
    assertExists,
    list,
    ...description
  } = definition;
  const query = filters.extend({
    limit: integer({ min: 1, ...limit, description: 'Records per page' }),
    cursor: LIST_CURSOR,
  });
  const response = z
    .object({ ...before?.schema, [records.name]: records.schema, ...LIST_FIELDS })
    .meta({ id: bodyName });
  return dataRoute<unknown, Filters & PageParameters, Filters & PageParameters, ListBody<Name, Item, Before>>({
    ...description,
    capability,
    feature: null,
    // zod can't express the types of objects whose shape is a type parameter.
    query: query as unknown as ParametersSchema<Filters & PageParameters>,
    csv: records.name,
    response: response as unknown as z.ZodType<ListBody<Name, Item, Before>>,
    errors: assertExists === undefined ? [] : ['not_found'],
    cacheControl: 'public, max-age=60',
    check: (checked) => [...(check?.(checked) ?? []), ...findCursorProblems(checked)],
    prepare: (request) => request.query,
    handle: (effective) => ({
      dependsOn: (context) => dependsOn(effective, context),
      assertExists: assertExists && ((context) => assertExists(effective, context)),
      cached: async (context) => {
        const { limit: pageSize, cursor } = effective;
        const page = await listPage(context.view, { ...list(effective, context), limit: pageSize, cursor });
        if (page.total === 0) await assertExists?.(effective, context);
        return jsonObject({
          ...before?.values(effective, context),
          [records.name]: jsonArray(page.lines),
          total: String(page.total),
          next_cursor: JSON.stringify(page.nextCursor),
        });
      },
    }),
  });
}

/** Two ids of 200 characters and a sort value, escaped and in base64. */
const CURSOR_LENGTH_MAX = 4096;

const LIST_CURSOR = freeText({
  max: CURSOR_LENGTH_MAX,
  description: 'The `next_cursor` of the previous page, with the same filters and order',
  example: 'ZjI2NGJkMzNbImdwdC01LjQtbWluaSJd',
}).optional();

const LIST_FIELDS = {
  total: z.int().min(0).describe('Records that match the filters, on all pages'),
  next_cursor: z.string().nullable().describe('For the next page; null on the last one'),
};

function findCursorProblems({ values, wrong }: CheckedQuery<PageParameters>): readonly RequestProblem[] {
  if (values.cursor === undefined || wrong.has('cursor')) return [];
  const problem = findCursorProblem(values.cursor);
  return problem === undefined ? [] : [problem];
}
