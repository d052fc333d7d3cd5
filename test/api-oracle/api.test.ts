import { beforeAll, describe, expect, test, vi } from 'vitest';
import { DATA_ROUTES } from '../../api/data/routes/data-routes.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import { listen } from '../support/api/listen.ts';
import { useApi } from '../support/api/use-api.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { writeNastyDays } from '../worlds/nasty-days.ts';
import { checkApi } from './check-api.ts';
import { type Client, createClient, parseJson } from './client.ts';
import type { ApiState } from './expected.ts';
import { ROUTES } from './routes.ts';
import { readStoredSnapshots } from './stored-snapshots.ts';
import { loadWorld } from './world.ts';

/** Requests per run; more with API_REQUESTS. */
const REQUESTS = Number(process.env['API_REQUESTS'] ?? 150);
const SEED = Number(process.env['API_SEED'] ?? 1);
/** Nights that are published. */
const NIGHTS = Number(process.env['NASTY_NIGHTS'] ?? 5);
/** Days from the last night to the server's today: just after it, and so long after that old days need a `from`. */
const DAYS_LATER = [2, 415];

test('the oracle knows every data route', () => {
  const known = ROUTES.map(({ path }) => path).sort();
  expect(known).toEqual(DATA_ROUTES.map(({ access }) => access.name).sort());
});

describe('the API over nasty days', () => {
  vi.setConfig({ hookTimeout: 300_000 });
  const folder = useFolder();
  let state: Omit<ApiState, 'today'>;
  let lastDay: Day;
  let client: Client;
  const api = useApi({
    days: async (store) => {
      const days = await writeNastyDays(folder(), SEED, NIGHTS);
      for (const day of days) {
        const { status } = await store.night(folder(), day, { accept: true });
        expect(status, day).toBe('published');
      }
      lastDay = days.at(-1) ?? '';
      state = { world: loadWorld(folder(), { acceptedDays: days }), stored: readStoredSnapshots(store.folder) };
    },
  });
  beforeAll(async () => {
    client = createClient(await listen(api.app));
  });

  /** What differs from the oracle where the server's today is so many days after the last night. */
  function check(asked: Client, daysLater: number, options: { readonly count: number; readonly routes?: string[] }) {
    const today = addDays(lastDay, daysLater);
    api.clock.set(`${today}T12:00:00Z`);
    return checkApi(asked, { ...state, today }, { seed: SEED, differencesMax: 3, ...options });
  }

  describe.each(DAYS_LATER)('%i days after the last night', (daysLater) => {
    test('answers random requests as an independent reading of the specification does', {
      timeout: 600_000,
    }, async () => {
      expect(await check(client, daysLater, { count: REQUESTS })).toEqual([]);
    });
  });

  test.each<[string, string, (text: string) => string]>([
    ['a value that is off by a little', 'scores', (text) => text.replace('"value":1.5', '"value":1.5000000001')],
    ['a number written in another way', 'scores', (text) => text.replace('"value":1,', '"value":1.0,')],
    ['keys in another order', 'models', (text) => text.replace(/("id":"[^"]*"),("name":"[^"]*")/, '$2,$1')],
    ['a row that is missing', 'models', (text) => text.replace(/\{"id":"plain"[^}]*\},/, '')],
    ['a point too many', 'model-history', (text) => text.replace(/"points":\[(\{.*?\}),\{/, '"points":[$1,$1,{')],
    ['an event skipped', 'changes', (text) => text.replace(/"events":\[\{.*?\},\{"seq"/, '"events":[{"seq"')],
    ['an end that is not the end', 'changes', (text) => text.replace('"has_more":true', '"has_more":false')],
    ['another refusal', 'model', (text) => text.replace('"param":"id"', '"param":"model_id"')],
    ['a cost that is off by a little', 'cost', (text) => text.replace(/"cost":(0\.\d+)/, '"cost":$1001')],
    [
      'a cell of CSV that is off by a little',
      'scores',
      (text) => text.replace(/^(model_id,[\s\S]*\n[^,\n]*,[^,\n]*,)/, '$10'),
    ],
    ['a row of CSV twice', 'scores', (text) => text.replace(/^(model_id,.*\r\n)(.*\r\n)/, '$1$2$2')],
    ['text that is not JSON', 'categories', (text) => text.slice(1)],
  ])('that sends %s is found out', async (_, route, spoil) => {
    const spoiled: Client = {
      ...client,
      send: async (...given) => {
        const response = await client.send(...given);
        const text = spoil(response.text);
        return { ...response, text, body: parseJson(text) };
      },
    };
    expect(await check(spoiled, 2, { count: 100, routes: [route] })).not.toEqual([]);
  });
});
