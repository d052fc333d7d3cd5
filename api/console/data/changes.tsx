import type { JSX } from 'preact';
import { cursorFromSeq } from '../../../schemas/change.ts';
import { ENTITY_TYPES } from '../../../schemas/datasets.ts';
import { formatMoney, formatNumber } from '../../charts/format.ts';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { changesRoute } from '../../data/routes/changes.ts';
import type { PageDeps } from '../console-deps.ts';
import { Badge, Choices, PageLinks, Table, withQuery } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DataPage, FetchedData } from './data-page.tsx';
import { type Fetched, fetcherFor } from './fetch-route.ts';
import { modelPath } from './models.tsx';

type Changes = BodyOf<typeof changesRoute>;
type Change = Changes['events'][number];

/** Per page, of all kinds. */
const EVENTS_SHOWN = 150;

/** Newest first: reads the feed from shortly before its end. */
export function changesPageRoute(deps: PageDeps): OrganizationRoute {
  return forMembers.page('/data/changes', async (pages) => {
    const newest = deps.views.current().newest.last_seq;
    const requested = Number(pages.query['through'] ?? newest);
    const through = Number.isSafeInteger(requested) && requested > 0 ? Math.min(requested, newest) : newest;
    const after = Math.max(0, through - EVENTS_SHOWN);
    const entityType = ENTITY_TYPES.find((type) => type === pages.query['entity_type']);
    const fetched = await fetcherFor(pages, deps)(changesRoute, {
      // Without a cursor at the start: the feed may have lost its first events.
      query: {
        cursor: after === 0 ? undefined : cursorFromSeq(after),
        limit: String(Math.max(1, through - after)),
        entity_type: entityType,
      },
    });
    const body = <ChangesPage pages={pages} fetched={fetched} range={{ after, through, newest, entityType }} />;
    return page('Changes', body);
  });
}

interface Range {
  readonly after: number;
  readonly through: number;
  readonly newest: number;
  readonly entityType: string | undefined;
}

interface ChangesPageProps {
  readonly pages: OrganizationPages;
  readonly fetched: Fetched<Changes>;
  readonly range: Range;
}

function ChangesPage({ pages, fetched, range }: ChangesPageProps): JSX.Element {
  const { after, through, newest, entityType } = range;
  const hrefOf = (type: string | undefined, last: number) =>
    withQuery(`${pages.path}/data/changes`, { entity_type: type, through: String(last) });
  return (
    <DataPage pages={pages} title="Changes">
      <Choices
        label="Kinds of changes"
        links={[undefined, ...ENTITY_TYPES].map((type) => ({
          href: hrefOf(type, through),
          text: type ?? 'all',
          isShown: type === entityType,
        }))}
      />
      <FetchedData
        fetched={fetched}
        show={({ data }) => (
          <>
            <p class="hint">{`The feed has changes from ${data.retained_from} to ${data.published_through}; this page covers numbers ${formatNumber(after + 1)} to ${formatNumber(through)}, newest first.`}</p>
            <Table
              caption="Changes, newest first"
              columns={[['Number', 'number'], 'Day', 'What', 'Of', 'Now']}
              rows={data.events
                .filter(({ seq }) => seq <= through)
                .toReversed()
                .map((event) => changeCells(event, pages))}
              empty="No changes of this kind here; there may be older ones."
            />
          </>
        )}
      />
      <PageLinks
        label="More changes"
        before={
          through < newest && { href: hrefOf(entityType, Math.min(newest, through + EVENTS_SHOWN)), text: 'Newer' }
        }
        after={after > 0 && fetched.data !== undefined && { href: hrefOf(entityType, after), text: 'Older' }}
      />
    </DataPage>
  );
}

function changeCells(event: Change, pages: OrganizationPages) {
  const { seq, occurred_on: day, op, entity_type: type, key } = event;
  const { id, model_id: modelId = id ?? '', ...rest } = key;
  return [
    String(seq),
    day,
    op === 'delete' ? <Badge kind="bad" text={`${type} gone`} /> : <Badge kind="plain" text={type} />,
    // The model, then the rest of the key.
    <>
      <a href={modelPath(pages, modelId)}>{modelId}</a> <span class="hint">{Object.values(rest).join(' ')}</span>
    </>,
    describe(event),
  ];
}

/** The record's new values, in short. */
function describe({ entity_type: type, data }: Change): string {
  if (data === null) return '';
  switch (type) {
    case 'model':
      return String(data['name']);
    case 'score':
      return formatNumber(Number(data['value']));
    case 'ranking':
      return `rank ${data['rank']}`;
    case 'pricing':
      return `${priceOf(data['input_per_million'])} in, ${priceOf(data['output_per_million'])} out (${data['currency']})`;
  }
}

function priceOf(value: unknown): string {
  return typeof value === 'number' ? formatMoney(value) : '–';
}
