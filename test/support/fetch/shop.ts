import type { UpstreamServer } from './upstream-server.ts';

/** A small recipe over two files of one upstream: models in JSON, which every night needs, and prices in CSV, which it doesn't. */
export const SHOP_SQL = `-- models
SELECT m->>'id' AS id, coalesce(a.name, m->>'name') AS name, NULL AS organization, NULL AS release_date,
  NULL AS context_length, NULL AS inference, NULL AS updated_at
FROM (SELECT unnest(models) AS m FROM read_json('shop/models.json', columns = {models: 'JSON[]'}))
LEFT JOIN read_csv('names.csv') a ON a.id = (m->>'id');

-- pricing
SELECT model AS model_id, 'shop' AS provider, usd_in AS input_per_million, usd_out AS output_per_million
FROM read_csv('prices.csv');
`;

export const SHOP_FILES = { 'source.sql': SHOP_SQL, 'names.csv': 'id,name\na,Alpha\n' };

export const SHOP_ENTRIES = [
  { url: `/models.json?key=\${SHOP_KEY}`, file: 'shop/models.json', expect: { json_path: '$.models', min_rows: 1 } },
  { url: '/prices.csv', file: 'prices.csv', optional: true, expect: { min_rows: 1 } },
];

/** The secret of the recipe, which may stand nowhere. */
export const SHOP_KEY = 'hunter2';

/** Puts the shop's goods on the shelf: a model each, with its price. */
export function serveShop(server: UpstreamServer, prices: Readonly<Record<string, number>>): void {
  const models = Object.keys(prices).map((id) => ({ id, name: `Model ${id}` }));
  server.serve('/models.json', { models });
  const lines = Object.entries(prices).map(([id, price]) => `${id},${price},${2 * price}\n`);
  server.serve('/prices.csv', `model,usd_in,usd_out\n${lines.join('')}`);
}

export function shopSettings(url: string): object {
  const fetch = SHOP_ENTRIES.map((entry) => ({ ...entry, upstream: 'shop', url: url + entry.url }));
  return { upstreams: [{ id: 'shop', name: 'The shop', url }], fetch };
}
