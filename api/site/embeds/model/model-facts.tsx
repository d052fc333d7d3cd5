import type { JSX } from 'preact';
import { formatDay, formatMoney, formatNumber } from '../../../charts/format.ts';
import { cheapest, type ModelDetail, type Price, standings } from '../../model.ts';

/** So many ranks are told, the best ones: as many as there is room for in half a line. */
const RANKS_MAX = 2;

/** What is known of a model, in a few lines; what isn't is left out. */
export function ModelFacts({ model }: { readonly model: ModelDetail }): JSX.Element | null {
  const facts = factsOf(model);
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(({ label, text, room }) => (
        <div class={room}>
          <dt>{label}</dt>
          <dd dir="auto" title={text}>
            {text}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ModelFact {
  readonly label: string;
  readonly text: string;
  /** Whether it needs a whole line in narrow frames. */
  readonly room?: 'wide';
}

function factsOf(model: ModelDetail): readonly ModelFact[] {
  const { context_length: context, release_date: released } = model;
  const price = cheapest(model.pricing);
  const ranks = standings(model.rankings).slice(0, RANKS_MAX);
  const facts: ModelFact[] = [];
  if (context !== null) facts.push({ label: 'Context', text: `${formatNumber(context)} tokens` });
  if (released !== null) facts.push({ label: 'Released', text: formatDay(released) });
  if (price !== undefined)
    facts.push({ label: 'Lowest price per 1 M tokens', text: priceInWords(price), room: 'wide' });
  if (ranks.length > 0) facts.push({ label: 'Best ranks', text: ranks.map(rankInWords).join(', '), room: 'wide' });
  return facts;
}

/** `$2.50 in, $12.50 out (nimbus)`. */
function priceInWords({ provider, currency, input_per_million: input, output_per_million: output }: Price): string {
  const parts = [
    ...(input === null ? [] : [`${formatPrice(input, currency)} in`]),
    ...(output === null ? [] : [`${formatPrice(output, currency)} out`]),
  ];
  return `${parts.join(', ')} (${provider})`;
}

function formatPrice(value: number, currency: string): string {
  return currency === 'USD' ? formatMoney(value) : `${formatNumber(value)} ${currency}`;
}

function rankInWords({ rank, category }: { readonly rank: number; readonly category: string }): string {
  return `#${formatNumber(rank)} in ${category}`;
}
