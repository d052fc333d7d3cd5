import type { DocumentedOperation } from '../api/documented.ts';

/** Operations whose calls the client writes itself, under the names and with the parameters that they have had from the beginning. */
export const OWN_CALLS: Readonly<Record<string, string>> = {
  listRankings: 'getRankings',
  getRankingsHistory: 'getRankingsHistory',
  downloadSnapshot: 'getDownload',
  listChanges: 'getChanges',
};

/** Longest line of the source, as biome.json has it. */
const LINE_LENGTH_MAX = 120;

const HEAD = `/**
 * A call for each operation of the service, named as the operation is: the parameters of the path one by one, then those of the query. Made
 * of /openapi.json by \`make golden\`; changes belong into the routes.
 */
`;
const TAIL = `
/** What an operation answers with. */
export type BodyOf<Name extends keyof operations> = operations[Name]['responses'][200]['content']['application/json'];
`;
const SEND = `  /** Sends a \`GET\` until there is an answer. */
  protected abstract get<Name extends keyof operations>(
    path: string,
    query: { readonly [K in keyof QueryOf<Name>]: QueryOf<Name>[K] | undefined },
    options: CallOptions,
  ): Promise<Answer<BodyOf<Name>>>;
`;

/** The source of client/calls.ts, by the operations below \`/v1\` of the OpenAPI document. */
export function clientCalls(operations: readonly DocumentedOperation[]): string {
  const called = operations.filter(({ operationId }) => OWN_CALLS[operationId] === undefined);
  const types = [...new Set(['operations', ...called.map(bodyTypeOf)])].sort((a, b) => {
    const [lowerA, lowerB] = [a.toLowerCase(), b.toLowerCase()];
    return lowerA < lowerB ? -1 : Number(lowerA > lowerB);
  });
  const imports = [
    listOf({ before: 'import type {', items: types, after: "} from './answers.ts';", indent: '', padding: ' ' }),
    "import type { QueryOf } from './filters.ts';",
    "import type { Answer } from './read-answer.ts';",
    "import { type CallOptions, pathPart } from './send.ts';",
  ];
  const methods = [SEND, ...called.map(methodOf)].join('\n');
  return `${HEAD}${imports.join('\n')}\n\nexport abstract class Calls {\n${methods}}\n${TAIL}`;
}

function bodyTypeOf({ operationId, responses }: DocumentedOperation): string {
  const { $ref } = Object(responses['200']?.content?.['application/json']?.schema);
  if (typeof $ref !== 'string') throw new Error(`the body of ${operationId} has no name`);
  return $ref.split('/').at(-1) ?? '';
}

function methodOf(operation: DocumentedOperation): string {
  const { path, operationId: name, summary, parameters } = operation;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const items = [
    ...parameters
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => `${camelCase(parameter.name)}: string`),
    ...(query.length === 0
      ? []
      : [`query: QueryOf<'${name}'>${query.some(({ required }) => required) ? '' : ' = {}'}`]),
    'options: CallOptions = {}',
  ];
  const after = `): Promise<Answer<${bodyTypeOf(operation)}>> {`;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => `\${pathPart(${camelCase(parameter)})}`);
  const target = filled === path ? `'${path}'` : `\`${filled}\``;
  const sent = query.length === 0 ? '{}' : 'query';
  return `  /** \`GET ${path}\`: ${summary}. */
${listOf({ before: `  ${name}(`, items, after, indent: '  ', padding: '' })}
    return this.get<'${name}'>(${target}, ${sent}, options);
  }
`;
}

interface ListParts {
  readonly before: string;
  readonly items: readonly string[];
  readonly after: string;
  readonly indent: string;
  /** Inside of the brackets, where all is on one line. */
  readonly padding: string;
}

/** On one line where it fits, else an item a line, as Biome has it. */
function listOf({ before, items, after, indent, padding }: ListParts): string {
  const line = `${before}${padding}${items.join(', ')}${padding}${after}`;
  if (line.length <= LINE_LENGTH_MAX) return line;
  return `${before}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${after}`;
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
