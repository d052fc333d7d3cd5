import { parseAst } from 'rolldown/parseAst';

/** A field of an interface. */
export interface DeclaredField {
  readonly name: string;
  readonly isOptional: boolean;
  /** What the field may hold: `string`, `null`, `'a'`, `Model`, `Model[]`; the parts of a union, `readonly` left out. */
  readonly types: readonly string[];
}

type Node = Readonly<Record<string, unknown>>;

/** The interfaces of a TypeScript source by name, each with the fields of those that it extends. */
export function interfacesIn(source: string): ReadonlyMap<string, readonly DeclaredField[]> {
  const declarations = new Map<string, Node>();
  for (const statement of nodesOf(parseAst(source, { lang: 'ts' })['body' as never])) {
    const declared = statement['type'] === 'ExportNamedDeclaration' ? nodeOf(statement['declaration']) : statement;
    if (declared['type'] === 'TSInterfaceDeclaration') declarations.set(textOf(nodeOf(declared['id'])), declared);
  }
  const fieldsOf = (name: string): readonly DeclaredField[] => {
    const declaration = declarations.get(name);
    if (declaration === undefined) throw new Error(`there is no interface ${name}`);
    const inherited = nodesOf(declaration['extends']).flatMap((one) => fieldsOf(textOf(nodeOf(one['expression']))));
    return [...inherited, ...nodesOf(nodeOf(declaration['body'])['body']).map((field) => fieldFrom(field, source))];
  };
  return new Map([...declarations.keys()].map((name) => [name, fieldsOf(name)]));
}

/** The unions of other types that a TypeScript source exports, by name: `export type Both = One | Other`. */
export function unionsIn(source: string): ReadonlyMap<string, readonly string[]> {
  const unions = new Map<string, readonly string[]>();
  for (const statement of nodesOf(parseAst(source, { lang: 'ts' })['body' as never])) {
    const declared = statement['type'] === 'ExportNamedDeclaration' ? nodeOf(statement['declaration']) : statement;
    if (declared['type'] !== 'TSTypeAliasDeclaration') continue;
    const annotation = nodeOf(declared['typeAnnotation']);
    if (annotation['type'] !== 'TSUnionType') continue;
    unions.set(
      textOf(nodeOf(declared['id'])),
      nodesOf(annotation['types']).map((part) => sliceOf(part, source)),
    );
  }
  return unions;
}

function fieldFrom(field: Node, source: string): DeclaredField {
  const annotation = nodeOf(nodeOf(field['typeAnnotation'])['typeAnnotation']);
  const parts = annotation['type'] === 'TSUnionType' ? nodesOf(annotation['types']) : [annotation];
  return {
    name: textOf(nodeOf(field['key'])),
    isOptional: field['optional'] === true,
    types: parts.map((part) => sliceOf(part, source).replace(/^readonly /, '')),
  };
}

function sliceOf({ start, end }: Node, source: string): string {
  return source.slice(Number(start), Number(end));
}

function textOf({ name }: Node): string {
  if (typeof name !== 'string') throw new Error('a node has no name');
  return name;
}

function nodeOf(value: unknown): Node {
  if (typeof value !== 'object' || value === null) throw new Error('a node is missing');
  return value as Node; // As the parser makes them.
}

function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.map(nodeOf) : [];
}
