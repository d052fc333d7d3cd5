import type { JSX } from 'preact';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { formatNumber } from '../../charts/format.ts';
import { snapshotDownloadRoute, snapshotsRoute } from '../../data/routes/snapshots.ts';
import type { PageDeps } from '../console-deps.ts';
import { Notice, Pager, partOf, Section, Table, withQuery } from '../shell/parts.tsx';
import { page, redirect } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DataPage, FetchedData } from './data-page.tsx';
import { fetcherFor } from './fetch-route.ts';

/** Per page; a plan may show a hundred. */
const SNAPSHOTS_SHOWN = 20;

export function snapshotsRoutes(deps: PageDeps): readonly OrganizationRoute[] {
  return [
    forMembers.page('/data/snapshots', async (pages) => {
      const fetched = await fetcherFor(pages, deps)(snapshotsRoute, {});
      const body = (
        <DataPage pages={pages} title="Snapshots">
          <FetchedData fetched={fetched} show={({ data }) => <Shown pages={pages} snapshots={data.snapshots} />} />
        </DataPage>
      );
      return page('Snapshots', body);
    }),
    forMembers.page('/data/snapshots/:snapshot/download', async (pages) => {
      const { params, query } = pages;
      const fetched = await fetcherFor(pages, deps)(snapshotDownloadRoute, {
        params: { snapshot_id: params['snapshot'] ?? '' },
        query: { dataset: query['dataset'] },
      });
      if (fetched.data !== undefined) return redirect(fetched.data.url);
      return page('Snapshots', <Notice kind="bad">{<p>{fetched.refusal}</p>}</Notice>, 422);
    }),
  ];
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
      <p class="hint">
        {'JSON Schemas of the newest records:'}
        {DATASET_NAMES.map((name) => (
          <>
            {' '}
            <a href={`${pages.baseUrl}/schemas/${name}.json`}>{name}</a>
          </>
        ))}
      </p>
      {part.shown.map((snapshot) => (
        <Section title={snapshot.id}>
          <p class="hint">
            {`As of ${snapshot.data_as_of}, records of version ${snapshot.schema_version}; the feed continues from cursor ${snapshot.change_cursor}.`}
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
      columns={[['Dataset', 'head'], ['Records', 'number'], ['Size', 'number'], 'SHA-256', '']}
      rows={snapshot.datasets.map(({ name: dataset, records: count, bytes, sha256 }) => [
        dataset,
        formatNumber(count),
        formatBytes(bytes),
        <code title={sha256}>{`${sha256.slice(0, 12)}…`}</code>,
        <a href={withQuery(download, { dataset })}>{`Download ${dataset}`}</a>,
      ])}
      empty="No files."
    />
  );
}

function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
