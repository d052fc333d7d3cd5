import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../runtime/day.ts';
import { getEntry, loadCatalog, loadRelease } from '../../storage/catalog.ts';
import { perFile } from '../../test/support/per-test.ts';
import { publishFixtureDays, SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';
import {
  NIGHT_SETTINGS,
  openTemporaryStore,
  type TemporaryStore,
} from '../../test/support/pipeline/temporary-store.ts';
import type { DayRows } from '../../test/support/pipeline/write-day.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import * as rated from '../../test/worlds/rated-days.ts';
import { digestMail } from './digest-mail.ts';
import { type DigestNews, hasNews, LINES_MAX, readDigestNews } from './digest-news.ts';

/** Of records that have a life and rates. */
const [MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY] = [1, 2, 3, 4, 5].map((day) => `2027-03-0${day}`) as Week;
type Week = [Day, Day, Day, Day, Day];

const place = useFolder();

/** A store that tests only read. */
function useSharedStore(fill: (store: TemporaryStore) => Promise<unknown>): TemporaryStore {
  return perFile(async () => {
    const store = await openTemporaryStore();
    await fill(store);
    return { ...store, close: store.dispose };
  });
}

async function publish(store: TemporaryStore, day: string, rows: DayRows): Promise<void> {
  await store.publish(day, { models: [], benchmarks: [], scores: [], rankings: [], pricing: [], ...rows });
}

async function newsBetween(of: TemporaryStore, from: Day, to: Day): Promise<DigestNews> {
  const { catalog } = await loadCatalog(of.deps.store);
  const load = (day: string) => loadRelease(of.deps.store, getEntry(catalog, day));
  const folder = await mkdtemp(join(place(), 'news-'));
  const input = { before: await load(from), after: await load(to), folder };
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

describe('of two nights', () => {
  const rate = (meter: string, unit: string, value: number, when?: object) => ({
    meter,
    unit,
    per: unit === 'token' ? 1_000_000 : 1,
    price: value,
    ...(when && { when }),
  });
  const metered = (cached: number, image: number, batch: number) =>
    price('metered', 'x', 3, {
      rates: [
        rate('input', 'token', 3),
        rate('output', 'token', 10),
        rate('cache_read', 'token', cached),
        rate('image_in', 'image', image),
        rate('input', 'token', batch, { tier: 'batch' }),
      ],
    });
  const ranks = (category: string, ...ids: string[]) =>
    ids.map((model_id, at) => ({ model_id, category, rank: at + 1, trueskill_mu: 10 - at }));
  const moved = (retires_on: string) => model('moved', { status: 'deprecated', retires_on });
  const same = ['a', 'b', 'c', 'same', 'metered'].map((id) => model(id));
  const store = useSharedStore(async (nights) => {
    await publish(nights, MONDAY, {
      models: [
        ...same,
        model('announced'),
        moved('2027-05-01'),
        model('withdrawn', { retires_on: '2027-06-01' }),
        model('reached', { status: 'active', retires_on: TUESDAY }),
        model('learnt'),
        model('quiet', { status: 'active' }),
      ],
      rankings: [...ranks('coding', 'a', 'b'), ...ranks('text', 'a', 'b', 'c')],
      pricing: [
        ...[price('a', 'x', 10), price('a', 'y', 10), price('b', 'x', 1), price('c', 'x', 0), price('same', 'x', 1)],
        metered(0.3, 0.01, 1.5),
      ],
    });
    await publish(nights, TUESDAY, {
      models: [
        ...same,
        model('announced', {
          status: 'deprecated',
          deprecated_on: TUESDAY,
          retires_on: '2027-03-20',
          replaced_by: 'quiet',
        }),
        moved('2027-04-15'),
        model('withdrawn'),
        model('reached', { status: 'retired', retires_on: TUESDAY }),
        model('learnt', { status: 'active' }), // A source that begins to tell the status announces nothing.
        model('quiet', { status: 'active' }),
        model('m', { name: 'Two\u2028lines\u202e', organization: 'x\ty' }),
      ],
      rankings: [...ranks('coding', 'b', 'a'), ...ranks('text', 'a', 'c', 'b'), ...ranks('vision', 'c')],
      pricing: [
        ...[price('a', 'x', 9), price('a', 'y', 9), price('b', 'x', 0.4), price('c', 'x', 2), price('same', 'x', 1)],
        metered(0.15, 0.02, 1),
      ],
    });
  });
  let news: DigestNews;
  beforeAll(async () => {
    news = await newsBetween(store, MONDAY, TUESDAY);
  });

  test('prices of every meter are told from old to new, by what changed most, providers of one change together, without condition', () => {
    expect(sectionOf(news, 'Price changes')).toEqual([
      '- c: input price at x from $0 to $2 per 1 M tokens',
      '- metered: image in price at x from $0.01 to $0.02 per image (+100 %)',
      '- b: input price at x from $1 to $0.40 per 1 M tokens (−60 %)',
      '- metered: cache read price at x from $0.30 to $0.15 per 1 M tokens (−50 %)',
      '- a: input price at x and y from $10 to $9 per 1 M tokens (−10 %)',
    ]);
  });

  test('of the life of models it tells what was announced, moved, withdrawn and reached, and what comes', () => {
    expect(sectionOf(news, 'Deprecations and retirements')).toEqual([
      `- reached: retired on ${TUESDAY}; status from active to retired`,
      `- announced: will retire on 2027-03-20; deprecated on ${TUESDAY}; status deprecated; replaced by quiet`,
      '- moved: will retire on 2027-04-15, not on 2027-05-01',
      '- withdrawn: no longer announced to retire (it was 2027-06-01)',
    ]);
    expect(sectionOf(news, 'Retiring within 30 days')).toEqual(['- 2027-03-20: announced, replaced by quiet']);
    expect(textOf(news)).toMatch(/Retiring within 30 days \(1\)\n.*\n- .*\nhttps:\S*\/data\/lifecycle\n/);
  });

  test('a category has news when others lead it', () => {
    expect(sectionOf(news, 'New leaders')).toEqual([
      '- coding: b (before: a)',
      '- vision: c (ranked for the first time)',
    ]);
  });

  test('names of any kind stay on their line', () => {
    expect(sectionOf(news, 'New models')).toEqual(['- Two lines (m) by x y']);
  });
});

describe('of several nights', () => {
  const many = Array.from({ length: LINES_MAX + 7 }, (_, at) => model(`m${at}`));
  const retiring = model('retiring', { retires_on: WEDNESDAY });
  const store = useSharedStore(async (nights) => {
    const before = { models: [model('a'), model('old'), retiring], pricing: [price('a', 'x', 1)] };
    await publish(nights, MONDAY, before);
    await publish(nights, TUESDAY, before);
    await publish(nights, WEDNESDAY, { models: [model('a'), model('brief'), retiring], pricing: [price('a', 'x', 5)] });
    const models = [model('a'), model('new', { name: 'New', organization: 'Acme' }), retiring, ...many];
    const pricing = [price('a', 'x', 1), price('new', 'x', 1), price('new', 'y', 2)];
    await publish(nights, THURSDAY, { models, pricing: [...pricing, ...many.map(({ id }) => price(id, 'x', 1))] });
    await publish(nights, FRIDAY, { models, pricing: [...pricing, ...many.map(({ id }) => price(id, 'x', 2))] });
  });

  test('the difference is one: what went back is no news, and a model that came and went neither', async () => {
    const news = await newsBetween(store, TUESDAY, THURSDAY);
    expect(news.prices.total).toBe(0);
    expect(sectionOf(news, 'New models')[0]).toBe('- New (new) by Acme, offered by x and y');
    expect(news.added.total).toBe(1 + many.length);
    expect(sectionOf(news, 'Removed models')).toEqual(['- old']);
  });

  test('of many changes the first twenty are listed and the others counted', async () => {
    const lines = sectionOf(await newsBetween(store, THURSDAY, FRIDAY), 'Price changes');
    expect([lines.length, lines.at(-1)]).toEqual([LINES_MAX + 1, '- and 7 more']);
  });

  test('an announced day that comes is news by itself, and one that is ahead is not', async () => {
    const ahead = await newsBetween(store, MONDAY, TUESDAY);
    expect([ahead.ahead.total, hasNews(ahead)]).toEqual([1, false]);
    const come = await newsBetween(store, TUESDAY, WEDNESDAY);
    expect(sectionOf(come, 'Deprecations')).toEqual([`- retiring: retired on ${WEDNESDAY}`]);
  });
});

const ratedDays = useSharedStore(rated.publishRatedDays);

test('across a new version of the records only what both have is compared', async () => {
  const news = await newsBetween(ratedDays, rated.LAST, rated.CUTOVER);
  expect(news.lifecycle.total).toBe(0);
  expect(news.added.lines.map(({ model_id }) => model_id)).toEqual(['new']);
  expect(news.removed.lines.map(({ model_id }) => model_id)).toEqual(['gone']);
  expect(news.prices.lines.map(({ model_id, meter }) => [model_id, meter])).toEqual([['moved', null]]);
  const later = await newsBetween(ratedDays, rated.QUIET, rated.MOVED);
  expect(later.lifecycle.lines.map(({ model_id }) => model_id)).toEqual(['same']);
  expect((await newsBetween(ratedDays, rated.CUTOVER, addDays(rated.CUTOVER, 1))).added.total).toBe(0);
});

const sample = useSharedStore((store) => publishFixtureDays(store, SAMPLE_DAYS));

test('the mail has all sections, the API request, and how to stop it', async () => {
  const news = await newsBetween(sample, SAMPLE_DAYS[0], SAMPLE_DAYS[2]);
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
