import { isDay } from '../../../runtime/day.ts';
import { changesRoute } from '../../data/routes/changes.ts';
import { snapshotDownloadRoute, snapshotsRoute } from '../../data/routes/snapshots.ts';
import { RequestInvalid } from '../../server/errors/http-error.ts';
import { argumentProblem, type Body, type Exchange } from '../exchange.ts';
import { cell, type Row, rowsOf, table } from '../table.ts';
import { asOf, lines } from '../tool-text.ts';
import { routeTool } from './route-tool.ts';
import type { Tool } from './tool.ts';

export const BULK_TOOLS: readonly Tool[] = [
  routeTool({
    name: 'list-snapshots',
    title: 'List snapshots',
    description: 'Bulk snapshots in the plan, newest first.',
    route: snapshotsRoute,
    descriptions: { schema_version: '' },
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
        rows.length === 0 ? 'The plan includes none.' : table(files, rows),
        cut === 0 ? undefined : `${cut} older snapshots were left out because the response would be too long.`,
        'For a file call get-snapshot-file with an id and a dataset; for the changes after a snapshot, get-changes with its id as since.',
      );
    },
  }),
  routeTool({
    name: 'get-snapshot-file',
    title: 'Get the URL of a file',
    description: 'A URL for one dataset of a snapshot, valid for 15 minutes.',
    route: snapshotDownloadRoute,
    omitted: ['redirect'],
    descriptions: { snapshot_id: '', dataset: '', schema_version: '' },
    text: ({ body }) =>
      lines(
        `${cell(body['dataset'])}: ${cell(body['bytes'])} bytes of gzip-compressed JSON Lines; the URL is valid until ${cell(body['expires_at'])}.`,
        String(body['url']),
        `SHA-256 of the compressed file: ${cell(body['sha256'])}`,
      ),
  }),
  routeTool({
    name: 'get-changes',
    title: 'Get changes',
    description: 'Changes of models, scores, ranks and prices since a day or cursor, oldest first.',
    route: changesRoute,
    defaults: { limit: '100' },
    more: {
      since: { type: 'string', format: 'date', description: 'In place of a cursor' },
    },
    prepare: withCursor,
    descriptions: { cursor: 'A change_cursor or next_cursor', limit: 'Default: 100', entity_type: '' },
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
        cut === 0 ? undefined : `${cut} changes of this page were left out because the response would be too long.`,
        body['has_more'] === true
          ? `There is more: call again with cursor "${cell(body['next_cursor'])}".`
          : `This is the last page; later changes follow cursor "${cell(body['next_cursor'])}".`,
      );
    },
  }),
];

/** The record without what other columns show. */
function changedFields({ data, key }: Row): Row | null {
  if (data === null) return null;
  const shownElsewhere = ['updated_at', ...Object.keys(Object(key))];
  return Object.fromEntries(Object.entries(Object(data)).filter(([name]) => !shownElsewhere.includes(name)));
}

/** The cursor of the newest snapshot up to a day. Throws RequestInvalid. */
async function withCursor({ since, ...args }: Body, exchange: Exchange): Promise<Body> {
  if (since === undefined || since === null) return args;
  const problem = (msg: string) => new RequestInvalid([argumentProblem('since', since, { msg, type: 'value_error' })]);
  if (typeof since !== 'string' || !isDay(since)) throw problem('Input should be a day YYYY-MM-DD');
  if ((args['cursor'] ?? null) !== null) throw problem('Input should be left out if there is a cursor');
  const { body } = await exchange.fetchFree(snapshotsRoute, {});
  const snapshots = rowsOf(body, 'snapshots');
  const before = snapshots.find(({ id }) => String(id) <= since);
  if (before === undefined)
    throw problem(`Input should be ${cell(snapshots.at(-1)?.['id'])} or later, which is the oldest snapshot`);
  return { ...args, cursor: before['change_cursor'] };
}
