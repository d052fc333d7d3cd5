/** Two months of real days: feeds tell exactly the changes of prices and ranks that a plain comparison of published snapshots finds. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import type { TestApi } from '../support/api/open-api.ts';
import { listReleases, readSnapshot } from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { REAL_DATA } from '../support/real-data.ts';
import { type Item, itemsOf, openPublic } from '../support/site/use-public.ts';

/** Rankings come for the first time on the third of them; prices move a million-fold on the fourth, and are believed weeks later. */
const DAYS = { from: '2026-03-17', to: '2026-05-20' };
/** So many nights are in the window of a feed, also where some days have none. */
const LOOKS_EVERY = 20;
/** The positions whose moves are told. */
const TOP = 20;
/** Of the models whose prices stayed as they were, every so many are asked for. */
const OTHERS_EVERY = 40;

type Row = Readonly<Record<string, unknown>>;
type Records = ReadonlyMap<string, Row>;

/** The newest snapshot's records of a dataset, by their key. */
async function recordsOf(store: TemporaryStore, dataset: 'pricing' | 'rankings', key: readonly string[]) {
  const entry = (await listReleases(store)).at(-1);
  if (entry === undefined) throw new Error('nothing is published');
  const lines = (await readSnapshot(store, entry, dataset)).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const row: Row = JSON.parse(line);
      return [key.map((part) => String(row[part])).join(' '), row];
    }),
  );
}

/** `day model provider: input or output from … to …`, for each of the two that changed. */
function priceChanges(day: string, before: Records, after: Records): readonly string[] {
  return [...after].flatMap(([key, row]) =>
    ['input', 'output'].flatMap((side) => {
      const [was, is] = [before.get(key), row].map((record) => record?.[`${side}_per_million`]);
      return !before.has(key) || was === is ? [] : [`${day} ${key}: ${side} from ${was} to ${is}`];
    }),
  );
}

/** `day category model: from … to …`, null for none. */
function rankChanges(day: string, before: Records, after: Records): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [was, is] = [before, after].map((records) => (records.get(key)?.['rank'] as number | undefined) ?? null);
    const isTold = was !== is && Math.min(was ?? Infinity, is ?? Infinity) <= TOP;
    return isTold ? [`${day} ${key}: from ${was} to ${is}`] : [];
  });
}

const dayOf = ({ date_published }: Item) => date_published.slice(0, 10);
const linesOf = ({ content_text }: Item) => content_text.split('\n');
const amountOf = (text = '–') => (text === '–' ? null : Number(text.replaceAll(/[$,]/g, '')));

/** Every sentence about a price that changed; where a side is not named, input and output are told with a slash between. */
const PRICE_SENTENCES = [
  /^(?<model>.+): price at (?<who>.+) from (?<was>\S+) \/ (?<wasOut>\S+) to (?<is>\S+) \/ (?<isOut>\S+) per 1 M tokens( \(.+\))?$/,
  /^(?<model>.+): (?<side>input|output) price at (?<who>.+) from (?<was>\S+) to (?<is>\S+) per 1 M tokens( \(.+\))?$/,
  /^(?<model>.+): (?<side>input|output) price at (?<who>.+) is (?<is>\S+) per 1 M tokens \(it was not told before\)$/,
  /^(?<model>.+): (?<side>input|output) price at (?<who>.+) is no longer told \(it was (?<was>\S+) per 1 M tokens\)$/,
];

/** Every sentence about a place in a category. */
const RANK_SENTENCES = [
  /^(?<model>.+) went from (?<was>\d+) to (?<is>\d+)$/,
  /^(?<model>.+) came in at (?<is>\d+)$/,
  /^(?<model>.+) is no longer ranked \(it was (?<was>\d+)\)$/,
  /^(?<is>\d+)\. (?<model>.+)$/,
];

/** What the first sentence that fits says. */
function readLine(line: string, sentences: readonly RegExp[]): Readonly<Record<string, string | undefined>> {
  for (const sentence of sentences) {
    const groups = sentence.exec(line)?.groups;
    if (groups !== undefined) return groups;
  }
  throw new Error(`not a sentence: ${line}`);
}

/** What the sentences of an entry about prices say, in the words of {@link priceChanges}. */
function toldPrices(item: Item): readonly string[] {
  return linesOf(item).flatMap((line) => {
    const { model, who = '', side, was, is, wasOut, isOut } = readLine(line, PRICE_SENTENCES);
    const change = (name: string, from?: string, to?: string) => `${name} from ${amountOf(from)} to ${amountOf(to)}`;
    const changes = side ? [change(side, was, is)] : [change('input', was, is), change('output', wasOut, isOut)];
    return who
      .split(/, | and /)
      .flatMap((provider) => changes.map((one) => `${dayOf(item)} ${model} ${provider}: ${one}`));
  });
}

/** What the sentences of an entry about a category say, in the words of {@link rankChanges}. */
function toldRanks(category: string, item: Item): readonly string[] {
  return linesOf(item).map((line) => {
    const { model, was = null, is = null } = readLine(line, RANK_SENTENCES);
    return `${dayOf(item)} ${category} ${model}: from ${was} to ${is}`;
  });
}

/** What happened since the feeds were looked at last, and whose feeds there are. */
class Expected {
  prices: string[] = [];
  ranks: string[] = [];
  readonly models = new Set<string>();
  readonly categories = new Set<string>();
  #before: readonly [Records, Records] | undefined;

  async add(store: TemporaryStore, day: string): Promise<void> {
    const after = [
      await recordsOf(store, 'pricing', ['model_id', 'provider']),
      await recordsOf(store, 'rankings', ['category', 'model_id']),
    ] as const;
    if (this.#before !== undefined) {
      this.prices.push(...priceChanges(day, this.#before[0], after[0]));
      this.ranks.push(...rankChanges(day, this.#before[1], after[1]));
    }
    for (const { model_id } of after[0].values()) this.models.add(String(model_id));
    for (const { category } of after[1].values()) this.categories.add(String(category));
    this.#before = after;
  }
}

/** @param since the first day of the expected changes */
async function expectToldExactly(api: TestApi, expected: Expected, since: string): Promise<void> {
  // Of what went before the window there is no feed.
  const newItemsOf = async (path: string) => {
    const { statusCode } = await api.get(`${path}.json`);
    return statusCode === 404 ? [] : (await itemsOf(api, path)).filter((item) => dayOf(item) >= since);
  };
  const told: string[] = [];
  const changed = new Set(expected.prices.map((change) => change.split(' ')[1] ?? ''));
  const others = [...expected.models].filter((id) => !changed.has(id)).filter((_, i) => i % OTHERS_EVERY === 0);
  for (const id of [...changed, ...others]) {
    const items = await newItemsOf(`/feeds/models/${encodeURIComponent(id)}`);
    told.push(...items.filter(({ tags }) => tags.includes('prices')).flatMap(toldPrices));
  }
  expect(told.sort()).toEqual(expected.prices.sort());
  const moves: string[] = [];
  for (const category of expected.categories) {
    const items = await newItemsOf(`/feeds/rankings/${encodeURIComponent(category)}`);
    moves.push(...items.flatMap((item) => toldRanks(category, item)));
  }
  expect(moves.sort()).toEqual(expected.ranks.sort());
}

describe.skipIf(REAL_DATA === undefined)('real days (skipped where they are not beside the project)', () => {
  test('are told as a plain comparison of snapshots says', { timeout: 1_200_000 }, async () => {
    const source = REAL_DATA ?? '';
    const days = (await listSourceDays(source)).filter((day) => day >= DAYS.from && day <= DAYS.to);
    const store = await openTemporaryStore();
    let api: TestApi | undefined;
    const expected = new Expected();
    const compared = { prices: 0, ranks: 0 };
    onTestFinished(() => store.dispose());
    for (const [index, day] of days.entries()) {
      expect(await store.night(source, day, { accept: true })).toMatchObject({ status: 'published' });
      await expected.add(store, day);
      if ((index + 1) % LOOKS_EVERY !== 0) continue;
      api ??= await openPublic({ store: store.url });
      await api.follower.refresh();
      await expectToldExactly(api, expected, days[index + 1 - LOOKS_EVERY] ?? day);
      compared.prices += expected.prices.length;
      compared.ranks += expected.ranks.length;
      [expected.prices, expected.ranks] = [[], []];
    }
    expect(compared.prices).toBeGreaterThan(90);
    expect(compared.ranks).toBeGreaterThan(500);
  });
});
