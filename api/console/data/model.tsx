import type { JSX } from 'preact';
import { formatNumber } from '../../charts/format.ts';
import type { BodyOf } from '../../data/answers/data-route.ts';
import { modelRoute } from '../../data/routes/current/models.ts';
import { modelHistoryRoute } from '../../data/routes/history/model-history.ts';
import type { PageDeps } from '../console-deps.ts';
import { page } from '../shell/answer.ts';
import { Facts } from '../shell/parts.tsx';
import type { OrganizationRoute } from '../shell/routes.ts';
import type { OrganizationPages } from '../shell/visitor.ts';
import { type Asked, askFor } from './ask.ts';
import { Answered, DataPage } from './data-page.tsx';
import { askHistory, type HistorySpan, historySpanOf, SpanChoice } from './history.tsx';
import { Prices, type ShownHistory } from './model-prices.tsx';
import { Ranks, Scores } from './model-scores.tsx';

type ModelDetail = BodyOf<typeof modelRoute>;

/** One model: what is said of it now, and how its prices, scores and ranks became so. */
export function modelPageRoute(deps: PageDeps): OrganizationRoute {
  return {
    kind: 'organization',
    method: 'GET',
    path: '/data/models/:model',
    answer: async (pages) => {
      const { params, query } = pages;
      const id = params['model'] ?? '';
      const ask = askFor(pages, deps);
      const model = await ask(modelRoute, { params: { id } });
      const span = historySpanOf(pages, deps.views.current().newest.day);
      const show = async (
        kind: string,
        parameter: string,
        series: string | undefined,
      ): Promise<ShownHistory | undefined> => {
        if (series === undefined) return undefined;
        const question = { params: { model_id: id }, query: { kind, [parameter]: series } };
        return { series, asked: await askHistory(ask, modelHistoryRoute, question, span) };
      };
      const { pricing = [], scores = [], rankings = [] } = model.data ?? {};
      const histories = await Promise.all([
        show(
          'pricing',
          'provider',
          chosen(
            query['provider'],
            pricing.map(({ provider }) => provider),
          ),
        ),
        show(
          'score',
          'benchmark_id',
          chosen(
            query['benchmark'],
            scores.map((score) => score.benchmark_id),
          ),
        ),
        // All categories are in one chart, so none is chosen.
        show('ranking', 'category_id', rankings.length === 0 ? undefined : ''),
      ]);
      return page(model.data?.name ?? id, <ModelPage pages={pages} model={model} span={span} histories={histories} />);
    },
  };
}

/** What is wanted where it is there, else the first. */
function chosen(wanted: string | undefined, there: readonly string[]): string | undefined {
  return there.find((series) => series === wanted) ?? there[0];
}

interface ModelPageProps {
  readonly pages: OrganizationPages;
  readonly model: Asked<ModelDetail>;
  readonly span: HistorySpan;
  /** Of prices, scores and ranks; undefined where there are none now. */
  readonly histories: readonly (ShownHistory | undefined)[];
}

function ModelPage({ pages, model, span, histories: [prices, scores, ranks] }: ModelPageProps): JSX.Element {
  return (
    <DataPage pages={pages} title={model.data?.name ?? 'A model'}>
      <Answered
        asked={model}
        show={({ data }) => (
          <>
            <Facts items={factsOf(data)} />
            <SpanChoice pages={pages} shown={span.days} />
            <Prices pages={pages} prices={data.pricing} history={prices} span={span.chart} />
            <Scores pages={pages} scores={data.scores} history={scores} span={span.chart} />
            <Ranks pages={pages} rankings={data.rankings} history={ranks} span={span.chart} />
          </>
        )}
      />
    </DataPage>
  );
}

function factsOf(model: ModelDetail): readonly (readonly [string, JSX.Element])[] {
  const { context_length: context, inference: providers } = model;
  const names = [...new Set(model.aliases.map(({ id }) => id))].filter((name) => name !== model.id);
  return [
    ['Id', <code>{model.id}</code>],
    ...(names.length === 0 ? [] : [['Also called', <span>{names.join(', ')}</span>] as const]),
    ['Made by', <span>{model.organization ?? 'unknown'}</span>],
    ['Released', <span>{model.release_date ?? 'unknown'}</span>],
    ['Context', <span>{context === null ? 'unknown' : `${formatNumber(context)} tokens`}</span>],
    ['Served by', <span>{providers?.join(', ') || 'nobody we know of'}</span>],
    ['Last changed', <span>{model.updated_at}</span>],
  ];
}
