import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { DocumentedOperation } from '../api/documented.ts';
import { ROOT } from '../documents/text-files.ts';

/** Operations whose calls the client writes itself, under the names and with the parameters that they have had from the beginning. */
export const OWN_CALLS: Readonly<Record<string, string>> = {
  listRankings: 'getRankings',
  getRankingsHistory: 'getRankingsHistory',
  downloadSnapshot: 'getDownload',
  listChanges: 'getChanges',
};

/** Of the client. Exports are files for other programs. */
export function isCalled(path: string): boolean {
  return path.startsWith('/v1/') && !path.startsWith('/v1/exports/');
}

const HEAD = `/**
 * A call per operation, under its name: path parameters one by one, then the query. Generated from /openapi.json by \`make golden\`;
 * change the routes instead.
 */
`;
const TAIL = `
/** The body of an operation's response. */
export type BodyOf<Name extends keyof operations> = operations[Name]['responses'][200]['content']['application/json'];
`;
const SEND = `  /** Sends a \`GET\` with retries. */
  protected abstract get<Name extends keyof operations>(
    path: string,
    query: { readonly [K in keyof QueryOf<Name>]: QueryOf<Name>[K] | undefined },
    options: CallOptions,
  ): Promise<Answer<BodyOf<Name>>>;
`;

/** The source of client/calls.ts, by the operations below \`/v1\` of the OpenAPI document. */
export function clientCalls(operations: readonly DocumentedOperation[]): string {
  const called = operations.filter(({ operationId }) => OWN_CALLS[operationId] === undefined);
  const types = [...new Set(['operations', ...called.map(bodyTypeOf)])];
  const source = `${HEAD}import type {${types}} from './answers.ts';
import type { QueryOf } from './filters.ts';
import type { Answer } from './read-response.ts';
import { type CallOptions, pathPart } from './send.ts';

export abstract class Calls {
${[SEND, ...called.map(methodOf)].join('\n')}}
${TAIL}`;
  const words = ['check', '--write', '--stdin-file-path=client/calls.ts'];
  return execFileSync(join(ROOT, 'node_modules/.bin/biome'), words, { cwd: ROOT, input: source, encoding: 'utf8' });
}

function bodyTypeOf({ operationId, responses }: DocumentedOperation): string {
  const { $ref } = Object(responses['200']?.content?.['application/json']?.schema);
  if (typeof $ref !== 'string') throw new Error(`the body of ${operationId} has no name`);
  return $ref.split('/').at(-1) ?? '';
}

function methodOf(operation: DocumentedOperation): string {
  const { path, operationId: name, summary, parameters } = operation;
  // The client reads JSON only.
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'format');
  const isRequired = query.some(({ required }) => required);
  const given = [
    ...parameters.flatMap((parameter) => (parameter.in === 'path' ? [`${camelCase(parameter.name)}: string`] : [])),
    ...(query.length === 0 ? [] : [`query: QueryOf<'${name}'>${isRequired ? '' : ' = {}'}`]),
    'options: CallOptions = {}',
  ];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => `\${pathPart(${camelCase(parameter)})}`);
  const target = filled === path ? `'${path}'` : `\`${filled}\``;
  const sent = query.length === 0 ? '{}' : 'query';
  return `  /** \`GET ${path}\`: ${summary}. */
  ${name}(${given}): Promise<Answer<${bodyTypeOf(operation)}>> {
    return this.get<'${name}'>(${target}, ${sent}, options);
  }
`;
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
