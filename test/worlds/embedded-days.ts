import type { Day } from '../../runtime/day.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';

/** Text that would do something if a page took it for HTML. */
export const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>'`;
/** In one word that no line can hold. */
export const LONG = 'LongestNameThatAnybodyCouldThinkOf'.repeat(5);
export const ARABIC = 'نموذج اللغة العربية الكبير';
export const HEBREW = 'מודל שפה';
export const JAPANESE = '言葉の大きなモデル・百二十億';

/** The newest day, and an instant of the day after it. */
export const NEWEST: Day = '2026-06-03';
export const AFTER_NEWEST = '2026-06-04T12:00:00Z';

const UPDATED = { updated_at: '2026-05-31T00:00:00Z' };

/** Names of models by their ids. */
const NAMES: Readonly<Record<string, string>> = {
  'lab/atlas-2': 'Atlas 2',
  'atlas-mini': 'Atlas mini',
  [HOSTILE]: HOSTILE,
  long: LONG,
  arabic: ARABIC,
  hebrew: HEBREW,
  japanese: JAPANESE,
  twin: 'Twin',
  'other-twin': 'Twin',
  'ninth-place': 'Ninth',
  'tenth-place': 'Tenth',
  'eleventh-place': 'Eleventh',
  'bare-model': 'Bare',
  'in-yen': 'In yen',
  'measured-only': 'Measured only',
};

function models(ids: readonly string[]): readonly object[] {
  return ids.map((id) => {
    const isBare = id === 'bare-model';
    const facts = { organization: id === 'long' ? LONG : 'Lab', release_date: '2026-05-01', context_length: 400_000 };
    return { id, name: NAMES[id] ?? id, ...(isBare ? {} : facts), ...UPDATED };
  });
}

/** Ranks in the order of ids; those of a list in the list share one. */
function ranked(category: string, order: readonly (string | readonly string[])[]): readonly object[] {
  let rank = 1;
  return order.flatMap((place) => {
    const tied = typeof place === 'string' ? [place] : place;
    const rows = tied.map((id) => ({ model_id: id, category, rank, ...UPDATED }));
    rank += tied.length;
    return rows;
  });
}

interface Price {
  readonly provider: string;
  readonly input: number;
  readonly currency?: string;
}

function price(model: string, { provider, input, currency = 'USD' }: Price): object {
  const amounts = { input_per_million: input, output_per_million: input * 4 };
  return { model_id: model, provider, ...amounts, currency, ...UPDATED };
}

function score(model: string, benchmark: string, value: number): object {
  return { model_id: model, benchmark_id: benchmark, value, ...UPDATED };
}

const BENCHMARKS = [
  { id: 'a-few', name: 'A few', ...UPDATED },
  { id: 'many', name: 'Many / percent correct', ...UPDATED },
  { id: HOSTILE, name: HOSTILE, ...UPDATED },
];
const SCORES = [
  score('lab/atlas-2', 'a-few', 0.5),
  score('lab/atlas-2', 'many', 71.25),
  score('atlas-mini', 'many', 60),
  score('measured-only', 'many', 12),
  score(HOSTILE, HOSTILE, 1),
];

const [FIRST = '', SECOND = '', ...OTHERS] = Object.keys(NAMES).slice(0, 12);
const TOO = [...ranked('code/rust', [SECOND, [FIRST, 'japanese']]), ...ranked(HOSTILE, [HOSTILE, 'arabic', FIRST])];
const ALL = Object.keys(NAMES);
const PRICES = [
  price(FIRST, { provider: 'nimbus', input: 2.5 }),
  price(FIRST, { provider: 'cirrus', input: 3 }),
  price(HOSTILE, { provider: HOSTILE, input: 1 }),
  price('in-yen', { provider: 'nimbus', input: 90, currency: 'JPY' }),
  price('long', { provider: LONG, input: 1 }),
];

const COMMON = { benchmarks: BENCHMARKS, scores: SCORES };
const CHEAPER = price(FIRST, { provider: 'nimbus', input: 2 });
/**
 * Three nights. 06-02: rankings are not captured; one price falls, another is not there. 06-03: it is back; the first two of `text` have
 * changed places, `gone` is gone and `new` there, and nobody is in the category `ended` any more.
 */
const DAYS: Readonly<Record<Day, DayRows>> = {
  '2026-06-01': {
    ...COMMON,
    models: models([...ALL, 'gone']),
    rankings: [...ranked('text', [SECOND, FIRST, ...OTHERS]), ...TOO, ...ranked('ended', ['gone'])],
    pricing: PRICES,
  },
  '2026-06-02': { ...COMMON, models: models([...ALL, 'gone']), pricing: [...PRICES.slice(2), CHEAPER] },
  '2026-06-03': {
    ...COMMON,
    models: models([...ALL, 'new']),
    rankings: [...ranked('text', [FIRST, SECOND, ...OTHERS]), ...TOO, ...ranked('fresh', ['new'])],
    pricing: [...PRICES.slice(1), CHEAPER],
  },
};

export async function publishEmbeddedDays(store: TemporaryStore): Promise<void> {
  for (const [day, rows] of Object.entries(DAYS)) await store.publish(day, rows);
}
