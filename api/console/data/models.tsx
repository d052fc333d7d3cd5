import type { JSX } from 'preact';
import { formatNumber } from '../../charts/format.ts';
import type { BodyOf } from '../../data/answers/data-route.ts';
import { modelsRoute } from '../../data/routes/current/models.ts';
import type { PageDeps } from '../console-deps.ts';
import { page, redirect } from '../shell/answer.ts';
import { Choice, Field } from '../shell/fields.tsx';
import { Table, withQuery } from '../shell/parts.tsx';
import type { OrganizationRoute } from '../shell/routes.ts';
import type { OrganizationPages } from '../shell/visitor.ts';
import { type Asked, askFor } from './ask.ts';
import { Answered, DataPage } from './data-page.tsx';

type Models = BodyOf<typeof modelsRoute>;

const SORTS = [
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

/** The models that there are now, with the API's own filters. */
export function modelsRoutes(deps: PageDeps): readonly OrganizationRoute[] {
  return [
    { kind: 'organization', method: 'GET', path: '/data', answer: ({ path }) => redirect(`${path}/data/models`) },
    {
      kind: 'organization',
      method: 'GET',
      path: '/data/models',
      answer: async (pages) => {
        const query = { ...filtersOf(pages), limit: '50', cursor: pages.query['cursor'] };
        const asked = await askFor(pages, deps)(modelsRoute, { query });
        return page('Models', <ModelsPage pages={pages} asked={asked} />);
      },
    },
  ];
}

function filtersOf({ query }: OrganizationPages): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(FILTERS.map((name) => [name, query[name]]));
}

function ModelsPage({
  pages,
  asked,
}: {
  readonly pages: OrganizationPages;
  readonly asked: Asked<Models>;
}): JSX.Element {
  const { path, query } = pages;
  const here = `${path}/data/models`;
  const found = {
    'hx-get': here,
    'hx-select': '#found',
    'hx-target': '#found',
    'hx-swap': 'outerHTML',
    'hx-push-url': 'true',
  };
  return (
    <DataPage pages={pages} title="Models">
      <form
        method="get"
        action={here}
        class="form row filters"
        {...found}
        hx-trigger="submit, change, input delay:300ms from:#field-q"
      >
        <Field label="Id or name" name="q" type="search" values={query} required={false} maxlength={200} />
        <Field label="Made by" name="organization" values={query} required={false} maxlength={200} />
        <Field label="Served by" name="provider" values={query} required={false} maxlength={200} />
        <Field label="Context from" name="min_context" type="number" values={query} required={false} />
        <Choice label="Order" name="sort" options={SORTS} chosen={query['sort'] ?? 'id'} />
        <button type="submit">Show</button>
      </form>
      <div id="found" aria-live="polite">
        <Answered asked={asked} show={({ data }) => <Found data={data} pages={pages} />} />
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
        columns={['Model', 'Made by', 'Released', 'Context', 'Served by', 'Changed']}
        rows={models.map((model) => (
          <tr>
            <th scope="row">
              <a href={modelPath(pages, model.id)}>{model.name}</a>
            </th>
            <td>{model.organization ?? ''}</td>
            <td>{model.release_date ?? ''}</td>
            <td class="number">{model.context_length === null ? '' : formatNumber(model.context_length)}</td>
            <td class="number">{String(model.inference?.length ?? 0)}</td>
            <td>{model.updated_at.slice(0, 10)}</td>
          </tr>
        ))}
        empty="No model meets these filters."
      />
      <nav class="pager" aria-label="More models">
        {pages.query['cursor'] !== undefined && <a href={withQuery(here, filtersOf(pages))}>First page</a>}
        {next !== null && (
          <a href={withQuery(here, { ...filtersOf(pages), cursor: next })} rel="next">
            Next page
          </a>
        )}
      </nav>
    </>
  );
}

/** Where a model's own page is. */
export function modelPath({ path }: OrganizationPages, id: string): string {
  return `${path}/data/models/${encodeURIComponent(id)}`;
}
