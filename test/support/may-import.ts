/** What lies below every part that speaks to callers, from the bottom up. */
const GROUND = ['schemas', 'database', 'storage', 'http', 'accounts'] as const;

/**
 * What each folder may import besides itself; docs/architecture.md shows the same as a table, and a test compares the two.
 * `pipeline` and `api` meet only through what was published, so neither knows the other; `client` is a consumer's and knows no
 * more than one. Folders that don't exist yet have their place already.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  database: ['schemas'],
  storage: ['schemas'],
  http: ['schemas'],
  accounts: ['schemas', 'database', 'storage', 'http'],
  api: GROUND,
  pipeline: ['schemas', 'storage', 'http'],
  client: ['schemas', 'http'],
  webhooks: GROUND,
  integrations: GROUND,
  charts: ['schemas'],
  mcp: [...GROUND, 'api'],
  public: [...GROUND, 'api', 'charts'],
  guide: [...GROUND, 'api', 'webhooks', 'mcp'],
  console: [...GROUND, 'api', 'webhooks', 'integrations', 'charts'],
  bin: [...GROUND, 'api', 'pipeline', 'client', 'webhooks', 'integrations', 'mcp', 'public', 'guide', 'console'],
};
