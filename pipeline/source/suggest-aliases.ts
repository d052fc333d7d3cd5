import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import { loadCatalogToContinue, loadRelease, newestEntry } from '../../storage/catalog.ts';
import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import { nullable, text } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { withScratch } from '../run/run.ts';
import { SPINE } from './aliases.ts';

/** A model of a snapshot, as far as its name matters. */
export interface NamedModel {
  readonly id: string;
  readonly name: string;
  readonly organization: string | null;
}

/** A line that may belong into the table of aliases, for a person to decide (specification "Commands"). */
export interface Suggestion {
  readonly upstream: string;
  /** The upstream's name. */
  readonly id: string;
  /** The model that it may be. */
  readonly model_id: string;
  readonly name: string;
  readonly model_name: string;
  /** In words: what is alike, and what is known of the makers. */
  readonly why: string;
}

/** A model with what its name comes down to. */
interface Candidate extends NamedModel {
  readonly upstream: string;
  readonly ownId: string;
  readonly normal: string;
  readonly maker: string | undefined;
}

/**
 * Pairs of models that may be one: names that are the same but for their spelling, and those that no model has so, but for a date.
 * Never a pair whose makers are known and differ. The surest come first, then by model and name.
 *
 * @param upstreams whose names are kept apart, as `<upstream>:<name>`
 */
export function suggestAliases(models: readonly NamedModel[], upstreams: readonly string[]): readonly Suggestion[] {
  const candidates = models.map((model) => candidateFrom(model, upstreams));
  const spine = candidates.filter(({ upstream }) => upstream === SPINE).sort(byRank);
  const byName = firstByKey(spine, ({ normal }) => normal);
  const byDatelessName = firstByKey(spine, ({ normal }) => withoutDate(normal));
  const found = candidates.flatMap((candidate) => {
    const same = byName.get(candidate.normal);
    if (same !== undefined) return suggestionOf(candidate, same, 'the same name');
    const near = candidate.upstream === SPINE ? undefined : byDatelessName.get(withoutDate(candidate.normal));
    return near === undefined ? [] : suggestionOf(candidate, near, 'the same name but for a date');
  });
  return found.sort(bySurety);
}

function candidateFrom(model: NamedModel, upstreams: readonly string[]): Candidate {
  const apart = upstreams.find((upstream) => model.id.startsWith(`${upstream}:`));
  const ownId = apart === undefined ? model.id : model.id.slice(apart.length + 1);
  const maker = makerFromOrganization(model.organization);
  return { ...model, upstream: apart ?? SPINE, ownId, normal: normalName(ownId), maker };
}

/** Of several models with one name the maker's own comes first: its maker is known, and no seller stands before it. */
function byRank(left: Candidate, right: Candidate): number {
  return rankOf(left) - rankOf(right) || compareText(left.id, right.id);
}

function rankOf({ maker, id }: Candidate): number {
  return (maker === undefined ? 2 : 0) + (id.includes('/') ? 1 : 0);
}

function firstByKey(sorted: readonly Candidate[], keyOf: (one: Candidate) => string): ReadonlyMap<string, Candidate> {
  const first = new Map<string, Candidate>();
  for (const one of sorted) if (!first.has(keyOf(one))) first.set(keyOf(one), one);
  return first;
}

function suggestionOf(candidate: Candidate, model: Candidate, alike: string): readonly Suggestion[] {
  const areKnown = candidate.maker !== undefined && model.maker !== undefined;
  if (candidate.id === model.id || (areKnown && candidate.maker !== model.maker)) return [];
  const why = `${alike}, ${areKnown ? 'the same maker' : 'a maker that is not known'}`;
  const { upstream, ownId: id, name } = candidate;
  return [{ upstream, id, model_id: model.id, name, model_name: model.name, why }];
}

/** By how sure a pair is, then by model and name. */
function bySurety(left: Suggestion, right: Suggestion): number {
  const keyOf = ({ why, model_id, upstream, id }: Suggestion) => [suretyOf(why), model_id, upstream, id].join('\n');
  return compareText(keyOf(left), keyOf(right));
}

function suretyOf(why: string): string {
  return `${why.includes('but for') ? 1 : 0}${why.includes('not known') ? 1 : 0}`;
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Regions and makers that Bedrock writes before a name, and the version behind it: `us.anthropic.claude-…-v1:0`. */
const BEDROCK_HEAD =
  /^(?:(?:us|eu|apac|au|jp|global|us-gov)\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshotai|nvidia|openai|qwen|zai)\./;
const BEDROCK_TAIL = /-v\d+(?::\d+)?$/;
/** A point in a version, as Fireworks writes it: `deepseek-v3p2`. */
const FIREWORKS_POINT = /(\d)p(\d)/g;

/**
 * What names of models and makers come down to when two are compared, without their upstream's habits.
 *
 * A name in one spelling: its last part, in lower case, with dashes for points, blanks and the like. What says more than spelling
 * (effort, date, variant) stays.
 */
function normalName(name: string): string {
  return (name.split('/').at(-1) ?? '')
    .toLowerCase()
    .replace(BEDROCK_HEAD, '')
    .replace(BEDROCK_TAIL, '')
    .replace(FIREWORKS_POINT, '$1-$2')
    .replace(/[\s._@]+/g, '-');
}

/** A name in one spelling without the date at its end, where it has one: `-20251001` or `-2025-10-01`. */
function withoutDate(normal: string): string {
  return normal.replace(/-20\d{2}-?(?:0[1-9]|1[0-2])-?(?:[0-2]\d|3[01])$/, '');
}

/** Makers that upstreams call by several names. */
const MAKERS: Readonly<Record<string, string>> = {
  googledeepmind: 'google',
  kimi: 'moonshot',
  metaai: 'meta',
  mistralai: 'mistral',
  moonshotai: 'moonshot',
  qwen: 'alibaba',
  zaizhipuai: 'zai',
  zhipu: 'zai',
  zhipuai: 'zai',
};

/** Who made a model, in one spelling; undefined where nobody says. Of several organizations the first. */
function makerFromOrganization(organization: string | null): string | undefined {
  const [first = ''] = (organization ?? '').split(',');
  const plain = first.toLowerCase().replace(/[^\p{L}\d]/gu, '');
  return plain === '' ? undefined : (MAKERS[plain] ?? plain);
}

const MODEL = { id: text, name: text, organization: nullable(text) };

/** The names of all models of the newest snapshot; undefined where nothing is published. Only reads. */
export async function readModels(
  store: ObjectStore,
  duckdb: DuckDBLimits,
): Promise<{ readonly day: Day; readonly models: readonly NamedModel[] } | undefined> {
  const entry = newestEntry((await loadCatalogToContinue(store)).catalog);
  if (entry === undefined) return undefined;
  const release = await loadRelease(store, entry);
  const models = await withScratch(duckdb, async (scratch) => {
    const path = join(scratch.folder, 'models.parquet');
    await fetchReleaseFile(store, release, RELEASE_PATHS.state(DATASETS.models.name), path);
    return scratch.database.rows(MODEL, 'SELECT id, name, organization FROM read_parquet($1) ORDER BY id', [path]);
  });
  return { day: entry.day, models };
}
