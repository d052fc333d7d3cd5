import { beforeAll, describe, expect, test } from 'vitest';
import { text } from '../../../storage/duckdb/row-shape.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { ODD_ID, SMALL_DAYS, TODAY } from '../../../test/worlds/small-days.ts';
import { HISTORY_KINDS, HISTORY_SOURCES, type HistoryKind } from '../../view/tables/history-kinds.ts';

const BACKFILLED = { model_id: 'a', provider: 'p1', input_per_million: 1.5, effective_from: '2026-05-20' };

const api = useApi({
  days: async (store) => {
    for (const [day, rows] of Object.entries(SMALL_DAYS)) await store.publish(day, rows);
    const others = [ODD_ID, 'gone'].map((id) => ({ ...BACKFILLED, model_id: id, effective_from: '2025-12-30' }));
    await store.backfill([BACKFILLED, ...others], '2026-06-08T00:00:00Z');
  },
  now: `${TODAY}T12:00:00Z`,
});

let models: readonly string[];
beforeAll(async () => {
  const rows = await api.follower.current().rows({ id: text }, `SELECT id FROM known WHERE kind = 'model'`);
  models = rows.map(({ id }) => id);
});

const RANGES = [
  ['2025-06-01', TODAY],
  ['2025-12-31', '2026-01-01'],
  ['2026-05-28', '2026-06-02'],
  ['2026-06-03', '2026-06-06'],
  ['2026-06-05', '2026-06-05'],
] as const;

/** The points of a kind, made by SQL of the view's intervals, a day at a time. */
async function pointsBySql(kind: HistoryKind, { model, from, to, series }: Asked): Promise<readonly string[]> {
  const captured = api.follower.current().capturedDays(HISTORY_SOURCES[kind].dataset.name);
  const named = (wanted: HistoryKind) => (kind === wanted ? 'to_json(series)::VARCHAR' : `'null'`);
  const counted = `(SELECT count(*) FROM history_ranking r
    WHERE r.series = h.series AND day >= r.valid_from AND day <= coalesce(r.valid_to, day))`;
  const payload = kind === 'ranking' ? `concat('{"positions":', ${counted}, ',', substr(payload, 2))` : 'payload';
  const rows = await api.follower.current().rows(
    { point: text },
    `WITH days AS (SELECT unnest(generate_series(DATE '${from}', DATE '${to}', INTERVAL 1 DAY))::DATE AS day)
     SELECT concat('{"date":"', day, '","value":', value, ',"benchmark_id":', ${named('score')}, ',"category_id":', ${named('ranking')},
       ',"payload":', ${payload}, ',"source":"', source, '"}') AS point
     FROM history_${kind} h JOIN days ON day >= valid_from AND day <= coalesce(valid_to, day)
     WHERE model_id = $1 AND ($2 IS NULL OR series = $2)
       AND (source = 'backfill' OR day::VARCHAR IN (${captured.map((day) => `'${day}'`).join(', ')}))
     ORDER BY day, series`,
    [model, series ?? null],
  );
  return rows.map(({ point }) => point);
}

interface Asked {
  readonly model: string;
  readonly from: string;
  readonly to: string;
  readonly series?: string;
}

const PARAMETERS = { score: 'benchmark_id', ranking: 'category_id', pricing: 'provider', metadata: undefined } as const;

async function pointsOf(kind: HistoryKind, { model, from, to, series }: Asked): Promise<string> {
  const parameter = PARAMETERS[kind];
  const narrowed = series === undefined || parameter === undefined ? {} : { [parameter]: series };
  const query = new URLSearchParams({ kind, from, to, ...narrowed });
  const { body } = await api.get(`/v1/models/${encodeURIComponent(model)}/history?${query}`);
  return body.slice(body.indexOf('"points":') + '"points":'.length, body.lastIndexOf(',"window":'));
}

describe.each(HISTORY_KINDS)('the histories of all models, of kind %s,', (kind) => {
  test('are byte for byte what SQL makes of their intervals, whole and narrowed, in any range', async () => {
    let points = 0;
    for (const model of models) {
      const rows = await api.follower
        .current()
        .rows({ series: text }, `SELECT DISTINCT series FROM history_${kind} WHERE model_id = $1`, [model]);
      const each = PARAMETERS[kind] === undefined ? [] : rows.map(({ series }) => ({ series }));
      for (const [from, to] of RANGES) {
        for (const narrowed of [{}, ...each]) {
          const asked = { model, from, to, ...narrowed };
          const expected = await pointsBySql(kind, asked);
          expect(await pointsOf(kind, asked), JSON.stringify(asked)).toBe(`[${expected.join(',')}]`);
          points += expected.length;
        }
      }
    }
    expect(points).toBeGreaterThan(20);
  });
});
