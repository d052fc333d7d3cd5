/** An import, as paths from the root. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * The circles between what lies side by side, in folders of any depth: two rooms of one folder that need each other, over however
 * many others, or a file and a room. Each is told as the imports that are part of it.
 */
export function findCircles(imports: readonly Import[]): readonly string[] {
  const neighbours = imports.map(neighboursOf).filter((pair) => pair !== undefined);
  const needed = new Map<string, Set<string>>();
  for (const { from, to } of neighbours) needed.set(from, (needed.get(from) ?? new Set()).add(to));
  const reached = new Map([...needed.keys()].map((name) => [name, reachedFrom(name, needed)]));
  return neighbours.filter(({ from, to }) => reached.get(to)?.has(from)).map(({ told }) => told);
}

/** What of the two lies side by side in the deepest folder that holds both; undefined where that is one and the same. */
function neighboursOf({ from, to }: Import) {
  const [one, other] = [from.split('/'), to.split('/')];
  const depth = one.findIndex((part, i) => part !== other[i]);
  if (depth === -1) return undefined;
  const at = (parts: readonly string[]) => parts.slice(0, depth + 1).join('/');
  return { from: at(one), to: at(other), told: `${from} imports ${to}` };
}

function reachedFrom(start: string, needed: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const walk = (name: string) => {
    for (const next of needed.get(name) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      walk(next);
    }
  };
  walk(start);
  return reached;
}
