import type { JSX } from 'preact';
import { formatNumber } from '../../charts/format.ts';
import type { BodyOf } from '../../data/responses/data-route.ts';
import { modelsRoute } from '../../data/routes/models.ts';
import type { PageDeps } from '../console-deps.ts';
import { Choice, Field } from '../shell/fields.tsx';
import { inPlace, Table } from '../shell/parts.tsx';
import { page, redirect } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DataPage, FetchedData, ListPager } from './data-page.tsx';
import { type Fetched, fetcherFor } from './fetch-route.ts';

type Models = BodyOf<typeof modelsRoute>;

const SORTS = [
  { value: '', label: 'best match, else by id' },
  { value: 'id', label: 'by id' },
  { value: 'name', label: 'by name' },
  { value: '-release_date', label: 'newest first' },
  { value: '-context_length', label: 'longest context first' },
  { value: '-updated_at', label: 'last changed first' },
] as const;
const FILTERS = [
  'q',
  'organization',
  'provider',
  'min_context',
  'max_input_price',
  'max_output_price',
  'sort',
] as const;

/** Current models, with the API's filters. */
export function modelsRoutes(deps: PageDeps): readonly OrganizationRoute[] {
  return [
    forMembers.page('/data', ({ path }) => redirect(`${path}/data/models`)),
    forMembers.page('/data/models', async (pages) => {
      const query = { ...filtersOf(pages), limit: '50', cursor: pages.query['cursor'] };
      const fetched = await fetcherFor(pages, deps)(modelsRoute, { query });
      return page('Models', modelsPage(pages, fetched));
    }),
  ];
}

function filtersOf({ query }: OrganizationPages): Readonly<Record<string, string | undefined>> {
  const given = Object.fromEntries(FILTERS.map((name) => [name, query[name] || undefined]));
  return { ...given, sort: given['sort'] ?? (given['q'] === undefined ? undefined : 'relevance') };
}

function modelsPage(pages: OrganizationPages, fetched: Fetched<Models>): JSX.Element {
  const { path, query } = pages;
  const filter = { of: { form: query }, required: false };
  const here = `${path}/data/models`;
  return (
    <DataPage pages={pages} title="Models">
      <form
        method="get"
        action={here}
        class="form row filters"
        {...inPlace(here, '#found')}
        hx-trigger="submit, change, input delay:300ms from:#field-q"
      >
        <Field {...filter} label="Id or name" name="q" type="search" maxlength={200} />
        <Field {...filter} label="Made by" name="organization" maxlength={200} />
        <Field {...filter} label="Served by" name="provider" maxlength={200} />
        <Field {...filter} label="Context from" name="min_context" type="number" />
        <Choice label="Order" name="sort" options={SORTS} chosen={query['sort'] ?? ''} />
        <button type="submit">Show</button>
      </form>
      <div id="found" aria-live="polite">
        <FetchedData fetched={fetched} show={({ data }) => <Found data={data} pages={pages} />} />
      </div>
    </DataPage>
  );
}

function Found({ data, pages }: { readonly data: Models; readonly pages: OrganizationPages }): JSX.Element {
  const { models, total, next_cursor: next } = data;
  const here = `${pages.path}/data/models`;
  return (
    <>
      <p>{total === 1 ? '1 model' : `${total.toLocaleString('en')} models`}</p>
      <Table
        caption="Models"
        columns={[['Model', 'head'], 'Made by', 'Released', ['Context', 'number'], ['Served by', 'number'], 'Changed']}
        rows={models.map((model) => [
          <a href={modelPath(pages, model.id)}>{model.name}</a>,
          model.organization,
          model.release_date,
          numberOrNone(model.context_length),
          String(model.inference?.length ?? 0),
          model.updated_at.slice(0, 10),
        ])}
        empty="No model matches these filters."
      />
      <ListPager
        label="More models"
        here={here}
        filters={filtersOf(pages)}
        cursor={pages.query['cursor']}
        next={next}
      />
    </>
  );
}

export function numberOrNone(value: number | null): string {
  return value === null ? '' : formatNumber(value);
}

export function modelPath({ path }: OrganizationPages, id: string): string {
  return `${path}/data/models/${encodeURIComponent(id)}`;
}
