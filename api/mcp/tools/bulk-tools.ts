import { isDay } from '../../../runtime/day.ts';
import { changesRoute } from '../../data/routes/changes.ts';
import { snapshotDownloadRoute, snapshotsRoute } from '../../data/routes/snapshots.ts';
import { RequestInvalid } from '../../server/errors/http-error.ts';
import { argumentProblem, type Body, type Exchange } from '../exchange.ts';
import { cell, type Row, rowsOf, table } from '../table.ts';
import { asOf, lines } from '../told.ts';
import { routeTool } from './route-tool.ts';
import type { Tool } from './tool.ts';

/** What was published as a whole, and what changed since. */
export const BULK_TOOLS: readonly Tool[] = [
  routeTool({
    name: 'list-snapshots',
    title: 'List snapshots',
    description: 'Bulk snapshots that the plan has, newest first, with sizes and hashes. One unit.',
    route: snapshotsRoute,
    rows: 'snapshots',
    text: ({ body, dataAsOf, cut }) => {
      const snapshots = rowsOf(body, 'snapshots');
      const files = { id: 'id', records: 'records', 'bytes, compressed': 'bytes', change_cursor: 'change_cursor' };
      const rows = snapshots.map((snapshot) => {
        const datasets = rowsOf(snapshot, 'datasets');
        const sums = (field: string) => datasets.reduce((sum, dataset) => sum + Number(dataset[field]), 0);
        return { ...snapshot, records: sums('records'), bytes: sums('bytes') };
      });
      return lines(
        `${snapshots.length} snapshots${asOf(dataAsOf)}.`,
        rows.length === 0 ? 'None are there for this plan.' : table(files, rows),
        cut === 0 ? undefined : `${cut} older snapshots were left out, as the answer would have been too long.`,
        'For a file call get-snapshot-file with an id and a dataset; for what changed after one, get-changes with its id as since.',
      );
    },
  }),
  routeTool({
    name: 'get-snapshot-file',
    title: 'Get the address of a file',
    description: 'A signed address for one dataset of a snapshot, good for 15 minutes without a key. One unit.',
    route: snapshotDownloadRoute,
    left: ['redirect'],
    text: ({ body }) =>
      lines(
        `${cell(body['dataset'])}: ${cell(body['bytes'])} bytes of gzip-compressed JSON Lines, good until ${cell(body['expires_at'])}.`,
        String(body['url']),
        `SHA-256 of the compressed file: ${cell(body['sha256'])}`,
      ),
  }),
  routeTool({
    name: 'get-changes',
    title: 'Get changes',
    description:
      'Models, scores, ranks and prices set or deleted since a day or cursor, else since the oldest change still kept; oldest first. One unit a page.',
    route: changesRoute,
    defaults: { limit: '100' },
    more: {
      since: { type: 'string', format: 'date', description: 'Changes after this day, in place of a cursor' },
    },
    prepare: withCursor,
    words: { limit: 'Events per page, 100 unless told' },
    rows: 'events',
    text: ({ body, cut }) => {
      const events = rowsOf(body, 'events');
      const columns = {
        seq: 'seq',
        day: 'occurred_on',
        what: 'entity_type',
        id: 'entity_id',
        op: 'op',
        record: changedFields,
      };
      return lines(
        `${events.length} changes; the feed begins on ${cell(body['retained_from'])} and reaches ${cell(body['published_through'])}.`,
        events.length === 0 ? undefined : table(columns, events),
        cut === 0 ? undefined : `${cut} changes of this page were left out, as the answer would have been too long.`,
        body['has_more'] === true
          ? `There is more: call again with cursor "${cell(body['next_cursor'])}".`
          : `This is all; later changes will come after cursor "${cell(body['next_cursor'])}".`,
      );
    },
  }),
];

/** The record of a change without what the id and the day say already. */
function changedFields({ data, key }: Row): Row | null {
  if (data === null) return null;
  const told = ['updated_at', ...Object.keys(Object(key))];
  return Object.fromEntries(Object.entries(Object(data)).filter(([name]) => !told.includes(name)));
}

/** The cursor behind the changes of a day, or of the last day before it that has a snapshot. Throws RequestInvalid. */
async function withCursor({ since, ...args }: Body, exchange: Exchange): Promise<Body> {
  if (since === undefined || since === null) return args;
  const problem = (msg: string) => new RequestInvalid([argumentProblem('since', since, { msg, type: 'value_error' })]);
  if (typeof since !== 'string' || !isDay(since)) throw problem('Input should be a day YYYY-MM-DD');
  if ((args['cursor'] ?? null) !== null) throw problem('Input should be left out where there is a cursor');
  const { body } = await exchange.askAgain(snapshotsRoute, {});
  const snapshots = rowsOf(body, 'snapshots');
  const before = snapshots.find(({ id }) => String(id) <= since);
  if (before === undefined)
    throw problem(`Input should be ${cell(snapshots.at(-1)?.['id'])} or later, which is the oldest snapshot`);
  return { ...args, cursor: before['change_cursor'] };
}
