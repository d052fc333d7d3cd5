/** What a sync bears of a service that means harm: no file, list or line is larger than it says, nor larger than allowed. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { ModelstatsClient } from '../../client/client.ts';
import type { ClientOptions } from '../../client/client-settings.ts';
import type { Update } from '../../client/sync/copy.ts';
import { Scratch } from '../../client/sync/scratch.ts';
import { sync } from '../../client/sync/sync.ts';
import { cursorFromSeq, seqFromCursor } from '../../schemas/change.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import type { DatasetFile } from '../../schemas/manifest.ts';
import { SCHEMA_VERSION } from '../../schemas/record-versions.ts';
import { json, useAnsweringServer } from '../support/client/answering-server.ts';
import { drip, sendForEver } from '../support/client/endless.ts';
import { QUICK, syncInto, usePlaces, withCopy } from '../support/client/service.ts';

const newPlace = usePlaces();
const server = useAnsweringServer();

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const isModels = (url: string) => url.includes('models');

/** A service of one snapshot, whose datasets are empty but for the models. */
const harmless = () => ({
  models: Buffer.alloc(0),
  /** What the manifest says of the models, where it isn't what is so. */
  says: {} as Partial<DatasetFile>,
  /** The feed, from its beginning to the snapshot. */
  events: [{}] as readonly object[],
  /** How the file of the models is sent. */
  send: (response: ServerResponse, packed: Buffer): void => void response.end(packed),
});
let hostile = harmless();

beforeEach(() => {
  hostile = harmless();
  server.answer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', server.url);
    if (pathname === '/v1/snapshots') json({ snapshots: [snapshot()] })(request, response);
    else if (pathname === '/v1/changes') json(pageOf(searchParams))(request, response);
    else if (pathname.endsWith('/download'))
      json({ url: `${server.url}/files/${searchParams.get('dataset')}` })(request, response);
    else if (isModels(pathname)) hostile.send(response, gzipSync(hostile.models));
    else response.end(gzipSync(''));
  });
});

function snapshot() {
  return {
    id: '2026-06-01',
    published_at: '2026-06-02T00:10:00Z',
    data_as_of: '2026-06-01T23:59:59Z',
    schema_version: SCHEMA_VERSION,
    change_cursor: cursorFromSeq(hostile.events.length),
    prev_id: null,
    datasets: DATASET_NAMES.map(fileOf),
  };
}

function pageOf(query: URLSearchParams) {
  const after = seqFromCursor(query.get('cursor') ?? cursorFromSeq(0)) ?? 0;
  const end = after + Number(query.get('limit'));
  return { events: hostile.events.slice(after, end), next_cursor: cursorFromSeq(end), has_more: false };
}

function fileOf(name: DatasetName): DatasetFile {
  const content = isModels(name) ? hostile.models : Buffer.alloc(0);
  const packed = gzipSync(content);
  return {
    name,
    format: 'jsonl.gz',
    records: 0,
    bytes: packed.length,
    sha256: sha256(packed),
    content_bytes: content.length,
    content_sha256: sha256(content),
    ...(isModels(name) ? hostile.says : {}),
  };
}

function clientOf(options: Partial<ClientOptions> = {}) {
  return new ModelstatsClient({ ...QUICK, url: server.url, key: 'k', attemptsMax: 2, ...options });
}

/** What a sync of a new copy rejects with; nothing has come into the copy then. */
async function refusalOf(options: Partial<ClientOptions> = {}): Promise<unknown> {
  const into = newPlace('');
  const refusal = await syncInto(into, clientOf(options)).catch((error: unknown) => error);
  expect(await withCopy(into, (copy) => copy.state())).toBeUndefined();
  return refusal;
}

const MODEL = Buffer.from('{"id":"a"}\n');

it('fields of a snapshot that this program does not know or use are ignored, such as terms', async () => {
  const says = { terms: [{ source: 'shop', license: null, redistribution: false, more: 1 }], more: [] };
  hostile = { ...harmless(), says, events: [] };
  const into = newPlace('');
  await syncInto(into, clientOf());
  expect(await withCopy(into, (copy) => copy.state())).toBeDefined();
});

describe('a file', () => {
  it.each([
    ['packed', { bytes: 5_000_000_000 }],
    ['unpacked', { content_bytes: 5_000_000_000 }],
  ])('that is larger than allowed %s is not downloaded, and the setting is named', async (_, says) => {
    hostile.says = says;
    const refusal = await refusalOf();
    expect(refusal).toMatchObject({ code: 'answer_too_large' });
    expect(refusal).toMatchObject({
      message: expect.stringMatching(
        /^models of snapshot 2026-06-01 has .*5000000000.* 4294967296 are allowed: increase fileBytesMax or MODELSTATS_CLIENT_FILE_BYTES_MAX to allow more$/,
      ),
    });
    expect(server.requests.filter(({ url = '' }) => url.startsWith('/files/'))).toEqual([]);
  });

  it.each([
    ['unpacks to more than the 100 bytes of the manifest', Buffer.alloc(20_000_000, ' '), { content_bytes: 100 }],
    ['unpacks to other content', MODEL, { content_sha256: 'f'.repeat(64) }],
    ['has a line of more than 16777216 bytes', Buffer.alloc(20_000_000, ' '), {}],
  ])('that %s comes into no copy', async (problem, models, says) => {
    Object.assign(hostile, { models, says });
    expect(await refusalOf()).toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(`models of snapshot 2026-06-01 ${problem}`),
    });
  });

  it('that is no gzip comes into no copy', async () => {
    hostile.says = { bytes: MODEL.length, sha256: sha256(MODEL) };
    hostile.send = (response) => response.end(MODEL);
    expect(await refusalOf()).toMatchObject({ message: expect.stringContaining("can't be unpacked") });
  });

  it('that has no end is read as far as the manifest says', async () => {
    hostile.send = (response) => sendForEver(response, MODEL);
    expect(await refusalOf()).toMatchObject({
      message: expect.stringContaining('more bytes arrived than the file has'),
    });
  });

  it('that comes byte by byte is given up after the time, however often it is tried', async () => {
    hostile.says = { bytes: 1_000_000 };
    hostile.send = (response) => drip(response, 'x');
    expect(await refusalOf({ timeoutMs: 100 })).toMatchObject({
      code: 'no_answer',
      message: expect.stringContaining('less than 65536 bytes arrived within 100 ms'),
    });
    expect(server.requests.filter(({ url = '' }) => url === '/files/models')).toHaveLength(2);
  });

  it('whose refusal has no end is refused', async () => {
    hostile.send = (response) => sendForEver(response.writeHead(500), 'no '.repeat(1000));
    expect(await refusalOf()).toMatchObject({ name: 'ServiceError', code: 'http_500' });
  });
});

it('a feed of large pages is applied after four of the largest answers', async () => {
  const [pages, of] = [6, 1000];
  const events = Array.from({ length: pages * of }, (_, index) => ({
    seq: index + 1,
    occurred_on: '2026-06-01',
    entity_type: 'model',
    entity_id: `m${10_000 + index}`,
    key: { id: `m${10_000 + index}` },
    op: 'upsert',
    data: { id: `m${10_000 + index}` },
    schema_version: SCHEMA_VERSION,
  }));
  hostile.models = Buffer.from(events.map(({ data }) => `${JSON.stringify(data)}\n`).join(''));
  hostile.events = events;
  const pageBytes = JSON.stringify(events.slice(-of)).length + 100;
  const into = newPlace('');
  const updates: (string | null)[] = [];
  await withCopy(into, (copy) => {
    const update = (given: Update) => {
      updates.push(given.state.cursor);
      return copy.update(given);
    };
    const deps = { client: clientOf({ answerBytesMax: pageBytes }), clock: () => new Date() };
    return sync({ keepsHistory: true }, { ...deps, copy: { ...copy, update }, scratch: new Scratch(`${into}.sync`) });
  });
  // Emptied, the batch of five pages, the rest, and the proof.
  expect(updates).toEqual([0, 5 * of, pages * of, pages * of].map(cursorFromSeq));
});

describe('a list, of a plan without snapshots,', () => {
  const refused = { error: { code: 'feature_not_in_plan', message: 'Not in your plan', param: null } };

  /** Refuses snapshots, and answers every page of a list with this one. */
  const responsePages = (page: object) =>
    server.answer((request, response) =>
      request.url?.startsWith('/v1/snapshots') === true
        ? json(refused, { status: 403 })(request, response)
        : json({ total: 1, next_cursor: 'x', ...page })(request, response),
    );

  it('whose pages are empty and go on is refused', async () => {
    responsePages({ models: [] });
    expect(await refusalOf()).toMatchObject({
      code: 'corrupt',
      message: 'a page of the list of models has no records but announces more',
    });
  });

  it('that has no end is read up to eight times the largest answer', async () => {
    responsePages({ models: [{ id: 'x'.repeat(90_000) }] });
    expect(await refusalOf({ answerBytesMax: 100_000 })).toMatchObject({
      code: 'answer_too_large',
      message: expect.stringMatching(/the lists are larger than 800000 bytes together: increase answerBytesMax/),
    });
    expect(server.requests).toHaveLength(10);
  });
});
