/** What everything may stand on, from the bottom up. */
const GROUND = ['runtime', 'schemas', 'storage'] as const;

/** What lies in `api/` below every part that speaks to callers, from the bottom up. */
const SERVICE = [...GROUND, 'api/server', 'api/database', 'api/accounts'] as const;

/**
 * What each room may import besides itself; docs/architecture.md shows the same as a table, and a test compares the two.
 * `pipeline` and `api` meet only through published objects, so neither knows the other; `client` is a consumer's and knows no
 * more than one.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  schemas: ['runtime'],
  storage: ['runtime', 'schemas'],
  pipeline: GROUND,
  client: ['runtime', 'schemas'],
  'api/server': ['runtime', 'schemas'],
  'api/database': ['runtime', 'schemas'],
  'api/accounts': [...GROUND, 'api/server', 'api/database'],
  'api/view': GROUND,
  'api/data': [...SERVICE, 'api/view'],
  'api/webhooks': SERVICE,
  'api/integrations': SERVICE,
  'api/charts': ['runtime', 'schemas'],
  'api/mcp': [...SERVICE, 'api/view', 'api/data'],
  'api/site': [...SERVICE, 'api/view', 'api/data', 'api/charts'],
  'api/digests': [...SERVICE, 'api/view', 'api/data', 'api/site'],
  'api/guide': [...SERVICE, 'api/view', 'api/data', 'api/webhooks', 'api/mcp'],
  'api/console': [...SERVICE, 'api/view', 'api/data', 'api/webhooks', 'api/integrations', 'api/charts', 'api/digests'],
  bin: [
    ...SERVICE,
    'api/view',
    'api/data',
    'api/webhooks',
    'api/integrations',
    'api/mcp',
    'api/site',
    'api/digests',
    'api/guide',
    'api/console',
    'pipeline',
    'client',
  ],
};

/** The folders of code at the top that are shipped. */
export const SHIPPED: readonly string[] = [...new Set(Object.keys(MAY_IMPORT).map((room) => room.replace(/\/.*/, '')))];

/** The room that a path (from the root) lies in: the longest one of the table, or else its folder at the top. */
export function roomOf(path: string): string {
  const [top = '', next = ''] = path.split('/');
  return `${top}/${next}` in MAY_IMPORT ? `${top}/${next}` : top;
}
