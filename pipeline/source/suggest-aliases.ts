import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import { makerFromOrganization } from '../../schemas/model-makers.ts';
import { BEDROCK_HEAD } from '../../schemas/model-name.ts';
import { loadCatalogToContinue, loadRelease, newestEntry } from '../../storage/catalog.ts';
import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import { nullable, text } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { withScratch } from '../run/run.ts';
import { SPINE } from './aliases.ts';

export interface NamedModel {
  readonly id: string;
  readonly name: string;
  readonly organization: string | null;
}

/** A possible line of the table of aliases, for a person to decide (specification "Commands"). */
export interface Suggestion {
  readonly upstream: string;
  readonly id: string;
  readonly model_id: string;
  readonly name: string;
  readonly model_name: string;
  /** What matches, and what is known of the makers. */
  readonly why: string;
}

interface Candidate extends NamedModel {
  readonly upstream: string;
  readonly ownId: string;
  readonly normal: string;
  readonly maker: string | undefined;
}

/**
 * Pairs of models that may be one: names equal but for spelling or, without such a model, but for a date; never with
 * different known makers. Most certain first, then by model and name.
 * @param upstreams whose names are published as `<upstream>:<name>`
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
  return found.sort(byConfidence);
}

function candidateFrom(model: NamedModel, upstreams: readonly string[]): Candidate {
  const apart = upstreams.find((upstream) => model.id.startsWith(`${upstream}:`));
  const ownId = apart === undefined ? model.id : model.id.slice(apart.length + 1);
  const maker = makerFromOrganization(model.organization);
  return { ...model, upstream: apart ?? SPINE, ownId, normal: normalName(ownId), maker };
}

/** Among equal names, models with a known maker and without a seller's prefix come first. */
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

function byConfidence(left: Suggestion, right: Suggestion): number {
  const keyOf = ({ why, model_id, upstream, id }: Suggestion) => [confidenceOf(why), model_id, upstream, id].join('\n');
  return compareText(keyOf(left), keyOf(right));
}

function confidenceOf(why: string): string {
  return `${why.includes('but for') ? 1 : 0}${why.includes('not known') ? 1 : 0}`;
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Bedrock's version of an interface, behind a name: `-v1:0`. */
const BEDROCK_TAIL = /-v\d+(?::\d+)?$/;
/** Fireworks writes a version's point so: `deepseek-v3p2`. */
const FIREWORKS_POINT = /(\d)p(\d)/g;

/**
 * One spelling for comparison: the last part, in lower case, with dashes for points, blanks and the like. Differences
 * beyond spelling (effort, date, variant) stay.
 */
function normalName(name: string): string {
  return (name.split('/').at(-1) ?? '')
    .toLowerCase()
    .replace(BEDROCK_HEAD, '')
    .replace(BEDROCK_TAIL, '')
    .replace(FIREWORKS_POINT, '$1-$2')
    .replace(/[\s._@]+/g, '-');
}

/** Without a trailing `-20251001` or `-2025-10-01`. */
function withoutDate(normal: string): string {
  return normal.replace(/-20\d{2}-?(?:0[1-9]|1[0-2])-?(?:[0-2]\d|3[01])$/, '');
}

const MODEL = { id: text, name: text, organization: nullable(text) };

/** Of the newest snapshot; undefined where nothing is published. Read-only. */
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
