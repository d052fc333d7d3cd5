import type { JSX } from 'preact';
import type { Manifest } from '../../../schemas/manifest.ts';
import { formatNumber } from '../../charts/format.ts';
import type { BodyOf } from '../../data/answers/data-route.ts';
import { snapshotDownloadRoute, snapshotsRoute } from '../../data/routes/snapshots.ts';
import type { PageDeps } from '../console-deps.ts';
import { page, redirect } from '../shell/answer.ts';
import { Notice, Pager, partOf, Section, Table, withQuery } from '../shell/parts.tsx';
import type { OrganizationRoute } from '../shell/routes.ts';
import type { OrganizationPages } from '../shell/visitor.ts';
import { type Asked, askFor } from './ask.ts';
import { Answered, DataPage } from './data-page.tsx';

type Snapshots = BodyOf<typeof snapshotsRoute>;

/** Snapshots of a page; a plan may show a hundred. */
const SNAPSHOTS_SHOWN = 20;

/** The snapshots that the plan shows, with their files to download. */
export function snapshotsRoutes(deps: PageDeps): readonly OrganizationRoute[] {
  return [
    {
      kind: 'organization',
      method: 'GET',
      path: '/data/snapshots',
      answer: async (pages) => {
        const asked = await askFor(pages, deps)(snapshotsRoute, {});
        return page('Snapshots', <SnapshotsPage pages={pages} asked={asked} />);
      },
    },
    {
      kind: 'organization',
      method: 'GET',
      path: '/data/snapshots/:snapshot/download',
      answer: async (pages) => {
        const { params, query } = pages;
        const asked = await askFor(pages, deps)(snapshotDownloadRoute, {
          params: { snapshot_id: params['snapshot'] ?? '' },
          query: { dataset: query['dataset'] },
        });
        if (asked.data !== undefined) return redirect(asked.data.url);
        return page('Snapshots', <Notice kind="bad">{<p>{asked.refusal}</p>}</Notice>, { status: 422 });
      },
    },
  ];
}

function SnapshotsPage({
  pages,
  asked,
}: {
  readonly pages: OrganizationPages;
  readonly asked: Asked<Snapshots>;
}): JSX.Element {
  return (
    <DataPage pages={pages} title="Snapshots">
      <Answered asked={asked} show={({ data }) => <Shown pages={pages} snapshots={data.snapshots} />} />
    </DataPage>
  );
}

interface ShownProps {
  readonly pages: OrganizationPages;
  readonly snapshots: readonly Manifest[];
}

function Shown({ pages, snapshots }: ShownProps): JSX.Element {
  const part = partOf(snapshots, { query: pages.query, size: SNAPSHOTS_SHOWN });
  return (
    <>
      <p>{`Your plan shows ${snapshots.length === 1 ? '1 snapshot' : `${formatNumber(snapshots.length)} snapshots`}.`}</p>
      {part.shown.map((snapshot) => (
        <Section title={snapshot.id}>
          <p class="hint">
            {`As of ${snapshot.data_as_of}, records of version ${snapshot.schema_version}; the feed goes on from cursor ${snapshot.change_cursor}.`}
          </p>
          <Files pages={pages} snapshot={snapshot} />
        </Section>
      ))}
      <Pager label="More snapshots" here={`${pages.path}/data/snapshots`} part={part} before="Newer" after="Older" />
    </>
  );
}

function Files({ pages, snapshot }: { readonly pages: OrganizationPages; readonly snapshot: Manifest }): JSX.Element {
  const download = `${pages.path}/data/snapshots/${encodeURIComponent(snapshot.id)}/download`;
  return (
    <Table
      caption={`Files of ${snapshot.id}`}
      columns={['Dataset', 'Records', 'Size', 'SHA-256', '']}
      rows={snapshot.datasets.map(({ name: dataset, records: count, bytes, sha256 }) => (
        <tr>
          <th scope="row">{dataset}</th>
          <td class="number">{formatNumber(count)}</td>
          <td class="number">{formatBytes(bytes)}</td>
          <td>
            <code title={sha256}>{`${sha256.slice(0, 12)}…`}</code>
          </td>
          <td>
            <a href={withQuery(download, { dataset })}>{`Download ${dataset}`}</a>
          </td>
        </tr>
      ))}
      empty="No files."
    />
  );
}

function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
