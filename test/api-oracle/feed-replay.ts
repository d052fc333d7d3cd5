/**
 * The promise of replay through the API (specification "Replay"): reading the whole feed, from no cursor, by each entity
 * type, and from every snapshot's cursor to the next, gives each snapshot's lines back byte for byte.
 *
 * The copy that stands at a snapshot's cursor has been found equal to that snapshot, so going on from it is the same as
 * importing the snapshot and going on; that makes one pass over the feed enough for all cursors.
 */
import { cursorFromSeq } from '../../schemas/change.ts';
import { DATASETS, type DatasetName, ENTITY_TYPES, type EntityType } from '../../schemas/datasets.ts';
import type { Chooser } from '../support/random.ts';
import { answerRequest } from './answer.ts';
import type { ApiState } from './api-state.ts';
import type { Client } from './client.ts';
import { type Difference, findDifference } from './compare/difference.ts';
import type { Exchange } from './compare/exchange.ts';
import { readPage } from './compare/feed.ts';
import type { FeedExpected } from './expected.ts';
import { MIRRORED, Mirror } from './mirror.ts';
import { type ApiRequest, type Parameters, targetFromRequest } from './request.ts';
import { lastNight, type PublishedNight } from './world.ts';

/** Pages that one night's events are read in, at most. */
const PAGES_MAX = 12;
const LIMIT_MAX = 1000;

export interface FeedReplay {
  readonly answers: number;
  /** Snapshot cursors that were gone on from. */
  readonly cursors: number;
  /** Ends at the first one. */
  readonly difference: Difference | undefined;
}

/** Reads an unpruned feed in all these ways; stops at the first difference. */
export async function replayFeed(client: Client, state: ApiState, choose: Chooser): Promise<FeedReplay> {
  if (state.retainedFrom !== null) throw new Error('a feed whose beginning was pruned gives no snapshot from nothing');
  const replay: Replay = { client, state, choose, answers: 0, cursors: 0 };
  try {
    await replayWhole(replay, undefined);
    for (const entityType of ENTITY_TYPES) await replayWhole(replay, entityType);
    await replayNights(replay);
  } catch (error) {
    if (!(error instanceof ReplayDifference)) throw error;
    return { answers: replay.answers, cursors: replay.cursors, difference: error.difference };
  }
  return { answers: replay.answers, cursors: replay.cursors, difference: undefined };
}

interface Replay {
  readonly client: Client;
  readonly state: ApiState;
  readonly choose: Chooser;
  answers: number;
  cursors: number;
}

class ReplayDifference extends Error {
  readonly difference: Difference;

  constructor(difference: Difference) {
    super('the feed differs');
    this.difference = difference;
  }
}

async function replayWhole(replay: Replay, entityType: EntityType | undefined): Promise<void> {
  const mirror = new Mirror();
  const query = entityType === undefined ? {} : { entity_type: entityType };
  const target = await readUntil(replay, mirror, { query, untilSeq: replay.state.world.feed.length });
  const datasets = MIRRORED.filter((name) => entityType === undefined || DATASETS[name].entityType === entityType);
  expectSnapshot(target, mirror, lastNight(replay.state.world), datasets);
}

async function replayNights(replay: Replay): Promise<void> {
  const mirror = new Mirror();
  let fromSeq = 0;
  for (const night of replay.state.world.nights) {
    const limit = pickLimit(replay.choose, night.lastSeq - fromSeq);
    const query = { cursor: cursorFromSeq(fromSeq), limit: String(limit) };
    const target = await readUntil(replay, mirror, { query, untilSeq: night.lastSeq });
    expectSnapshot(target, mirror, night, MIRRORED);
    await readFilteredPage(replay, fromSeq);
    fromSeq = night.lastSeq;
    replay.cursors += 1;
  }
  await readUntil(replay, mirror, { query: { cursor: cursorFromSeq(fromSeq) }, untilSeq: fromSeq });
}

/** Pages until the copy stands at this seq, applying each page twice; gives the last page's target. */
async function readUntil(
  replay: Replay,
  mirror: Mirror,
  { query, untilSeq }: { readonly query: Parameters; readonly untilSeq: number },
): Promise<string> {
  let cursor = query['cursor'];
  for (;;) {
    const request = changesRequest(cursor === undefined ? query : { ...query, cursor });
    const { page, target } = await readChecked(replay, request);
    const events = page.events.filter(({ seq }) => seq <= untilSeq);
    mirror.apply(events);
    mirror.apply(events);
    if (page.nextSeq >= untilSeq || !page.hasMore) return target;
    cursor = cursorFromSeq(page.nextSeq);
  }
}

/** One page of one entity type from a snapshot's cursor. */
async function readFilteredPage(replay: Replay, fromSeq: number): Promise<void> {
  const { choose } = replay;
  const query = { cursor: cursorFromSeq(fromSeq), entity_type: choose.pick(ENTITY_TYPES) };
  await readChecked(replay, changesRequest({ ...query, limit: String(choose.integer(1, LIMIT_MAX)) }));
}

async function readChecked(replay: Replay, request: ApiRequest) {
  const { client, state } = replay;
  const exchange: Exchange = { client, state, request, answers: 0 };
  const target = targetFromRequest(request);
  const page = await readPage(exchange, target, feedExpected(state, request));
  replay.answers += exchange.answers;
  if ('difference' in page) throw new ReplayDifference(page.difference);
  return { page, target };
}

function feedExpected(state: ApiState, request: ApiRequest): FeedExpected {
  const expected = answerRequest(state, request);
  if (expected.kind !== 'feed') throw new Error(`${targetFromRequest(request)} is no page of the feed`);
  return expected;
}

function expectSnapshot(target: string, mirror: Mirror, night: PublishedNight, datasets: readonly DatasetName[]): void {
  const hashesOf = (hash: (name: DatasetName) => string) =>
    Object.fromEntries(datasets.map((name) => [name, hash(name)]));
  const expected = hashesOf((name) => night.contents[name].contentSha256);
  const actual = hashesOf((name) => mirror.contentSha256(name));
  const difference = findDifference(expected, actual, `(events applied up to ${night.day}).sha256`);
  if (difference !== undefined) throw new ReplayDifference({ target, ...difference });
}

/** Any limit that reads this many events in a bearable number of pages; often exactly as many. */
function pickLimit(choose: Chooser, events: number): number {
  const lowest = Math.min(LIMIT_MAX, Math.max(1, Math.ceil(events / PAGES_MAX)));
  const exact = Math.min(LIMIT_MAX, Math.max(1, events));
  return choose.pick([exact, choose.integer(lowest, exact), choose.integer(lowest, LIMIT_MAX)]);
}

function changesRequest(query: Parameters): ApiRequest {
  return { route: 'changes', params: {}, query };
}
