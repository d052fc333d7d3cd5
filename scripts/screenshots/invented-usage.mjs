import { openDatabase } from '../../dist/database/open-database.js';

const DAY_MS = 86_400_000;

/** Invents 90 days of usage of a small team: more on working days, and growing by month. */
export async function inventUsage(databaseUrl, organizationId) {
  const database = await openDatabase(databaseUrl);
  const keys = await database.kysely.selectFrom('api_keys').select('id').orderBy('created_at').execute();
  const routes = { '/v1/models': 0.4, '/v1/scores': 0.25, '/v1/rankings': 0.2, '/v1/changes': 0.15 };
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (let ago = 89; ago >= 0; ago -= 1) {
    const at = new Date(today - ago * DAY_MS);
    const day = at.toISOString().slice(0, 10);
    const isWeekend = [0, 6].includes(at.getUTCDay());
    const wave = 1 + 0.25 * Math.sin(ago * 1.7) + 0.15 * Math.sin(ago * 0.43);
    const all = (isWeekend ? 900 : 2_600) * wave * (1.6 - ago / 120) * (ago === 0 ? 0.4 : 1);
    const rows = keys.flatMap(({ id }, index) =>
      Object.entries(routes).map(([route, part]) => {
        const requests = Math.round(all * part * (index === 0 ? 0.7 : 0.3));
        const notModified = Math.round(requests * 0.35);
        const refused = index === 1 && ago % 29 === 11 ? Math.round(requests * 0.3) : 0;
        return {
          organization_id: organizationId,
          day,
          api_key_id: id,
          route,
          client_source: 'api_key',
          requests,
          units: requests - notModified - refused,
          not_modified: notModified,
          shared_units: Math.round(requests * 0.004),
          rate_limited: refused,
          quota_exceeded: 0,
          client_errors: Math.round(requests * 0.002),
          server_errors: 0,
          aborted: 0,
        };
      }),
    );
    await database.kysely.insertInto('request_counts').values(rows).execute();
    const used = rows.reduce((sum, { units }) => sum + units, 0);
    const daily = { organization_id: organizationId, day, used, cap: null, granted: 0 };
    await database.kysely
      .insertInto('daily_usage')
      .values(daily)
      .onConflict((conflict) => conflict.columns(['organization_id', 'day']).doUpdateSet({ used }))
      .execute();
  }
  // Like a key in use; other pictures show pages for beginners.
  await database.kysely.updateTable('api_keys').set({ last_used_at: Date.now() }).execute();
  await database.close();
}
