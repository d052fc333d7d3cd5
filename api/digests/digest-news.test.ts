import { beforeAll, expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { getEntry, loadCatalog, loadRelease } from '../../storage/catalog.ts';
import { openSampleStore, SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';
import { NIGHT_SETTINGS, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { useStore } from '../../test/support/pipeline/use-store.ts';
import { type DayRows, writeDay } from '../../test/support/pipeline/write-day.ts';
import { newFolder } from '../../test/support/temporary-folder.ts';
import * as rated from '../../test/worlds/rated-days.ts';
import { digestMail } from './digest-mail.ts';
import { type DigestNews, hasNews, LINES_MAX, readDigestNews } from './digest-news.ts';

const store = useStore();
/** Of records that have a life and rates. */
const [MONDAY, TUESDAY, WEDNESDAY] = ['2027-03-01', '2027-03-02', '2027-03-03'];

async function publish(day: string, rows: DayRows): Promise<void> {
  const folder = `${await newFolder()}/${day}`;
  await writeDay(folder, { models: [], benchmarks: [], scores: [], rankings: [], pricing: [], ...rows });
  const night = await store.night(folder, day, { accept: true });
  if (night.status !== 'published') throw new Error(`${day} is ${JSON.stringify(night)}`);
}

async function newsBetween(from: string, to: string, of: TemporaryStore = store): Promise<DigestNews> {
  const { catalog } = await loadCatalog(of.deps.store);
  const load = (day: string) => loadRelease(of.deps.store, getEntry(catalog, day));
  const input = { before: await load(from), after: await load(to), folder: await newFolder() };
  return readDigestNews(input, { store: of.deps.store, duckdb: NIGHT_SETTINGS.duckdb });
}

function textOf(news: DigestNews): string {
  const recipient = {
    personId: 'person_1',
    email: 'ada@example.com',
    frequency: 'daily',
    organizationId: 'org_1',
  } as const;
  return digestMail(news, recipient, { publicUrl: 'https://stats.example.com', stop: 'https://stats.example.com/x' })
    .text;
}

/** The lines of a section, without its heading and link. */
function sectionOf(news: DigestNews, title: string): readonly string[] {
  const [, ...lines] = textOf(news).split(`\n${title}`)[1]?.split('\n\n')[0]?.split('\n') ?? [];
  return lines.filter((line) => line.startsWith('- '));
}

const model = (id: string, more: object = {}) => ({ id, name: id, ...more });
const price = (model_id: string, provider: string, input: number | null, more: object = {}) => ({
  model_id,
  provider,
  input_per_million: input,
  output_per_million: 10,
  ...more,
});

test('prices are told from old to new, by what changed most, providers of one change together', async () => {
  const models = ['a', 'b', 'c', 'same'].map((id) => model(id));
  await publish(MONDAY, {
    models,
    pricing: [price('a', 'x', 10), price('a', 'y', 10), price('b', 'x', 1), price('c', 'x', 0), price('same', 'x', 1)],
  });
  await publish(TUESDAY, {
    models,
    pricing: [price('a', 'x', 9), price('a', 'y', 9), price('b', 'x', 0.5), price('c', 'x', 2), price('same', 'x', 1)],
  });
  const news = await newsBetween(MONDAY, TUESDAY);
  expect(sectionOf(news, 'Price changes')).toEqual([
    '- c: input price at x from $0 to $2 per 1 M tokens',
    '- b: input price at x from $1 to $0.50 per 1 M tokens (−50 %)',
    '- a: input price at x and y from $10 to $9 per 1 M tokens (−10 %)',
  ]);
});

test('the price of another meter counts as much, without condition', async () => {
  const rate = (meter: string, unit: string, value: number, when?: object) => ({
    meter,
    unit,
    per: unit === 'token' ? 1_000_000 : 1,
    price: value,
    ...(when && { when }),
  });
  const rows = (cached: number, image: number, batch: number) => ({
    models: [model('a')],
    pricing: [
      price('a', 'x', 3, {
        rates: [
          rate('input', 'token', 3),
          rate('output', 'token', 10),
          rate('cache_read', 'token', cached),
          rate('image_in', 'image', image),
          rate('input', 'token', batch, { tier: 'batch' }),
        ],
      }),
    ],
  });
  await publish(MONDAY, rows(0.3, 0.01, 1.5));
  await publish(TUESDAY, rows(0.15, 0.02, 1));
  expect(sectionOf(await newsBetween(MONDAY, TUESDAY), 'Price changes')).toEqual([
    '- a: image in price at x from $0.01 to $0.02 per image (+100 %)',
    '- a: cache read price at x from $0.30 to $0.15 per 1 M tokens (−50 %)',
  ]);
});

test('the difference of several nights is one: what went back is no news, and a model that came and went neither', async () => {
  await publish(MONDAY, { models: [model('a'), model('old')], pricing: [price('a', 'x', 1)] });
  await publish(TUESDAY, { models: [model('a'), model('brief')], pricing: [price('a', 'x', 5)] });
  await publish(WEDNESDAY, {
    models: [model('a'), model('new', { name: 'New', organization: 'Acme' })],
    pricing: [price('a', 'x', 1), price('new', 'x', 1), price('new', 'y', 2)],
  });
  const news = await newsBetween(MONDAY, WEDNESDAY);
  expect(news.prices.total).toBe(0);
  expect(sectionOf(news, 'New models')).toEqual(['- New (new) by Acme, offered by x and y']);
  expect(sectionOf(news, 'Removed models')).toEqual(['- old']);
});

test('of many changes the first twenty are listed and the others counted', async () => {
  const models = Array.from({ length: LINES_MAX + 7 }, (_, at) => model(`m${at}`));
  await publish(MONDAY, { models, pricing: models.map(({ id }) => price(id, 'x', 1)) });
  await publish(TUESDAY, { models, pricing: models.map(({ id }) => price(id, 'x', 2)) });
  const lines = sectionOf(await newsBetween(MONDAY, TUESDAY), 'Price changes');
  expect([lines.length, lines.at(-1)]).toEqual([LINES_MAX + 1, '- and 7 more']);
});

test('of the life of models it tells what was announced, moved, withdrawn and reached, and what comes', async () => {
  const other = (more: object) => model('moved', { status: 'deprecated', ...more });
  await publish(MONDAY, {
    models: [
      model('announced'),
      other({ retires_on: '2027-05-01' }),
      model('withdrawn', { retires_on: '2027-06-01' }),
      model('reached', { status: 'active', retires_on: TUESDAY }),
      model('learnt'),
      model('quiet', { status: 'active' }),
    ],
  });
  await publish(TUESDAY, {
    models: [
      model('announced', {
        status: 'deprecated',
        deprecated_on: TUESDAY,
        retires_on: '2027-03-20',
        replaced_by: 'quiet',
      }),
      other({ retires_on: '2027-04-15' }),
      model('withdrawn'),
      model('reached', { status: 'retired', retires_on: TUESDAY }),
      model('learnt', { status: 'active' }), // A source that begins to tell the status announces nothing.
      model('quiet', { status: 'active' }),
    ],
  });
  const news = await newsBetween(MONDAY, TUESDAY);
  expect(sectionOf(news, 'Deprecations and retirements')).toEqual([
    `- reached: retired on ${TUESDAY}; status from active to retired`,
    `- announced: will retire on 2027-03-20; deprecated on ${TUESDAY}; status deprecated; replaced by quiet`,
    '- moved: will retire on 2027-04-15, not on 2027-05-01',
    '- withdrawn: no longer announced to retire (it was 2027-06-01)',
  ]);
  expect(sectionOf(news, 'Retiring within 30 days')).toEqual(['- 2027-03-20: announced, replaced by quiet']);
  expect(textOf(news)).toMatch(/Retiring within 30 days \(1\)\n.*\n- .*\nhttps:\S*\/data\/lifecycle\n/);
});

test('an announced day that comes is news by itself, and one that is ahead is not', async () => {
  const models = [model('a', { retires_on: WEDNESDAY })];
  await publish(MONDAY, { models });
  await publish(TUESDAY, { models });
  await publish(WEDNESDAY, { models });
  const ahead = await newsBetween(MONDAY, TUESDAY);
  expect([ahead.ahead.total, hasNews(ahead)]).toEqual([1, false]);
  expect(sectionOf(await newsBetween(TUESDAY, WEDNESDAY), 'Deprecations')).toEqual([`- a: retired on ${WEDNESDAY}`]);
});

test('a category has news when others lead it', async () => {
  const models = ['a', 'b', 'c'].map((id) => model(id));
  const ranks = (category: string, ...ids: string[]) =>
    ids.map((model_id, at) => ({ model_id, category, rank: at + 1, trueskill_mu: 10 - at }));
  await publish(MONDAY, { models, rankings: [...ranks('coding', 'a', 'b'), ...ranks('text', 'a', 'b', 'c')] });
  await publish(TUESDAY, {
    models,
    rankings: [...ranks('coding', 'b', 'a'), ...ranks('text', 'a', 'c', 'b'), ...ranks('vision', 'c')],
  });
  expect(sectionOf(await newsBetween(MONDAY, TUESDAY), 'New leaders')).toEqual([
    '- coding: b (before: a)',
    '- vision: c (ranked for the first time)',
  ]);
});

test('names of any kind stay on their line', async () => {
  await publish(MONDAY, { models: [model('a')] });
  await publish(TUESDAY, {
    models: [model('a'), model('m', { name: 'Two\u2028lines\u202e', organization: 'x\ty' })],
  });
  expect(sectionOf(await newsBetween(MONDAY, TUESDAY), 'New models')).toEqual(['- Two lines (m) by x y']);
});

test('across a new version of the records only what both have is compared', async () => {
  await rated.publishRatedDays(store);
  const news = await newsBetween(rated.LAST, rated.CUTOVER);
  expect(news.lifecycle.total).toBe(0);
  expect(news.added.lines.map(({ model_id }) => model_id)).toEqual(['new']);
  expect(news.removed.lines.map(({ model_id }) => model_id)).toEqual(['gone']);
  expect(news.prices.lines.map(({ model_id, meter }) => [model_id, meter])).toEqual([['moved', null]]);
  const later = await newsBetween(rated.QUIET, rated.MOVED);
  expect(later.lifecycle.lines.map(({ model_id }) => model_id)).toEqual(['same']);
  expect((await newsBetween(rated.CUTOVER, addDays(rated.CUTOVER, 1))).added.total).toBe(0);
});

let sample: TemporaryStore;
beforeAll(async () => {
  sample = await openSampleStore();
  return sample.dispose;
});

test('the mail has all sections, the API request, and how to stop it', async () => {
  const news = await newsBetween(SAMPLE_DAYS[0], SAMPLE_DAYS[2], sample);
  const mail = digestMail(
    news,
    { personId: 'person_1', email: 'ada@example.com', frequency: 'weekly', organizationId: 'org_1' },
    { publicUrl: 'https://stats.example.com', stop: 'https://stats.example.com/console/digest/stop?token=t' },
  );
  expect(mail).toMatchInlineSnapshot(`
    {
      "headers": {
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": "<https://stats.example.com/console/digest/stop?token=t>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Message-ID": "<digest.ca43fb163c46f647f5c41e0d09ad71bf@stats.example.com>",
      },
      "subject": "Weekly digest to 2026-06-03: 2 price changes, 1 new model and 3 new leaders",
      "text": "What changed from 2026-06-01 to 2026-06-03 at https://stats.example.com

    Price changes, largest first (2)
    --------------------------------
    - @edge/quill/q7:free: input price at edge from $0 to $0.01 per 1 M tokens
    - aurora-2: price at nimbus from $3 / $15 to $2.50 / $12.50 per 1 M tokens (input −17 %, output −17 %)
    https://stats.example.com/console/orgs/org_1/data/changes?entity_type=pricing

    New models (1)
    --------------
    - Finch Nano (finch-nano) by Nightjar, offered by edge
    https://stats.example.com/console/orgs/org_1/data/changes?entity_type=model

    New leaders of rankings (3)
    ---------------------------
    - code: kestrel-1 (ranked for the first time)
    - code/rust:2: 100%-open:v1 (ranked for the first time)
    - general: aurora-2 (ranked for the first time)
    https://stats.example.com/console/orgs/org_1/data/rankings

    The same by the API: GET https://stats.example.com/v1/changes?cursor=NDk
    You get this mail because you chose a weekly digest. If nothing changes, none is sent.
    Change your choice: https://stats.example.com/console/you
    Stop the digest, without signing in: https://stats.example.com/console/digest/stop?token=t
    ",
      "to": "ada@example.com",
    }
  `);
});
