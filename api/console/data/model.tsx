import type { JSX } from 'preact';
import type { RecordOf } from '../../../schemas/datasets.ts';
import { formatNumber } from '../../charts/format.ts';
import { modelHistoryRoute } from '../../data/routes/model-history.ts';
import { modelRoute } from '../../data/routes/models.ts';
import type { PageDeps } from '../console-deps.ts';
import { type Fact, Facts } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DataPage, FetchedData } from './data-page.tsx';
import { type Fetched, fetcherFor } from './fetch-route.ts';
import { fetchHistory, type HistorySpan, historySpanOf, SpanChoice } from './history.tsx';
import { type ModelDetail, Prices, Ranks, Scores, type ShownHistory } from './model-sections.tsx';

/** One model: its current data, and the history of prices, scores and ranks. */
export function modelPageRoute(deps: PageDeps): OrganizationRoute {
  return forMembers.page('/data/models/:model', async (pages) => {
    const id = pages.params['model'] ?? '';
    const fetchRoute = fetcherFor(pages, deps);
    const model = await fetchRoute(modelRoute, { params: { id } });
    const span = historySpanOf(pages, deps.views.current().newest.day);
    const show = async (kind: string, parameter: string, series: string | undefined) => {
      if (series === undefined) return undefined;
      const args = { params: { model_id: id }, query: { kind, [parameter]: series } };
      return { series, fetched: await fetchHistory(fetchRoute, modelHistoryRoute, args, span) };
    };
    const { pricing = [], scores = [], rankings = [] } = model.data ?? {};
    const providers = pricing.map(({ provider }) => provider);
    const benchmarks = scores.map((score) => score.benchmark_id);
    const histories = await Promise.all([
      show('pricing', 'provider', chosen(pages.query['provider'], providers)),
      show('score', 'benchmark_id', chosen(pages.query['benchmark'], benchmarks)),
      // One chart shows all categories.
      show('ranking', 'category_id', rankings.length === 0 ? undefined : ''),
    ]);
    return page(model.data?.name ?? id, <ModelPage pages={pages} model={model} span={span} histories={histories} />);
  });
}

/** The requested series if it exists, else the first. */
function chosen(requested: string | undefined, available: readonly string[]): string | undefined {
  return available.find((series) => series === requested) ?? available[0];
}

interface ModelPageProps {
  readonly pages: OrganizationPages;
  readonly model: Fetched<ModelDetail>;
  readonly span: HistorySpan;
  /** Of prices, scores and ranks; undefined without current ones. */
  readonly histories: readonly (ShownHistory | undefined)[];
}

function ModelPage({ pages, model, span, histories: [prices, scores, ranks] }: ModelPageProps): JSX.Element {
  return (
    <DataPage pages={pages} title={model.data?.name ?? 'A model'}>
      <FetchedData
        fetched={model}
        show={({ data }) => (
          <>
            <Facts items={factsOf(data)} />
            <SpanChoice pages={pages} shown={span.days} />
            <Prices pages={pages} model={data} history={prices} span={span.chart} />
            <Scores pages={pages} model={data} history={scores} span={span.chart} />
            <Ranks pages={pages} model={data} history={ranks} span={span.chart} />
          </>
        )}
      />
    </DataPage>
  );
}

type ModelField = keyof RecordOf<'models'>;

/** Every field but name and source; the type requires new ones here. Undefined: not shown where unknown. */
const FACTS: Readonly<Record<Exclude<ModelField, 'id' | 'name' | 'source'>, (model: ModelDetail) => Fact | undefined>> =
  {
    organization: (model) => ['Made by', model.organization ?? 'unknown'],
    release_date: (model) => ['Released', model.release_date ?? 'unknown'],
    context_length: ({ context_length: context }) => [
      'Context',
      context === null ? 'unknown' : `${formatNumber(context)} tokens`,
    ],
    inference: (model) => ['Served by', model.inference?.join(', ') || 'no known provider'],
    status: ({ status }) => known('Status', status),
    deprecated_on: (model) => known('Deprecated on', model.deprecated_on),
    retires_on: (model) => known('Retires on', model.retires_on),
    replaced_by: (model) => known('Replaced by', model.replaced_by),
    max_output_tokens: ({ max_output_tokens: output }) =>
      known('Longest output', output == null ? null : `${formatNumber(output)} tokens`),
    knowledge_cutoff: (model) => known('Knowledge until', model.knowledge_cutoff),
    open_weights: ({ open_weights: open }) => known('Weights', open == null ? null : WEIGHTS[`${open}`]),
    modalities: ({ modalities }) =>
      known('Modalities', modalities && `${modalities.input.join(', ')} to ${modalities.output.join(', ')}`),
    capabilities: (model) => known('Capabilities', model.capabilities?.join(', ')),
    updated_at: (model) => ['Last changed', model.updated_at],
  };

function factsOf(model: ModelDetail): readonly Fact[] {
  const names = [...new Set(model.aliases.map(({ id }) => id))].filter((name) => name !== model.id);
  return [
    ['Id', <code>{model.id}</code>],
    ...(names.length === 0 ? [] : [['Also called', names.join(', ')] as const]),
    ...Object.values(FACTS)
      .map((fact) => fact(model))
      .filter((fact) => fact !== undefined),
  ];
}

const WEIGHTS = { true: 'open', false: 'not open' } as const;

function known(label: string, value: string | null | undefined): Fact | undefined {
  return value ? [label, value] : undefined;
}
