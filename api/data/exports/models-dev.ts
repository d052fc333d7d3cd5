/**
 * Offers as https://models.dev/api.json has them (specification "Exports"): the reverse of sources/models-dev. Its schema demands facts
 * of models that not all records have, and ways to connect to providers that none has.
 */
import { comparedPrice, METERS, type Rate } from '../../../schemas/rates.ts';
import { isInDollars, type Offer } from './offer.ts';

/** Fields of a cost, per million tokens. */
const FIELDS: Readonly<Record<string, string>> = {
  input: 'input',
  output: 'output',
  reasoning: 'reasoning',
  cache_read: 'cache_read',
  cache_write: 'cache_write',
  audio_in: 'input_audio',
  audio_out: 'output_audio',
};
const MODALITIES: ReadonlySet<string> = new Set(['text', 'audio', 'image', 'video', 'pdf']);

/** The schema wants it, and the record doesn't have it. No package and no variable can have such a name. */
const UNKNOWN = '(unknown)';

/** Providers by id, each with its models by id; without providers that no model can be said of. */
export function* modelsDevJson(offers: readonly Offer[]): Generator<string, void> {
  const providers = [...Map.groupBy(offers, ({ price }) => price.provider)].sort(([a], [b]) => (a < b ? -1 : 1));
  let separator = '{\n';
  for (const [id, ofProvider] of providers) {
    let models = 0;
    for (const offer of ofProvider) {
      const model = modelOf(offer);
      if (model === undefined) {
        yield '';
        continue;
      }
      yield models === 0 ? `${separator}${providerHead(id)}` : ',\n';
      yield `${JSON.stringify(offer.model.id)}: ${JSON.stringify(model)}`;
      models += 1;
    }
    if (models === 0) continue;
    yield '\n}}';
    separator = ',\n';
  }
  yield separator === '{\n' ? '{}\n' : '\n}\n';
}

/** Up to its first model. */
function providerHead(id: string): string {
  const provider = JSON.stringify({ id, env: [UNKNOWN], npm: UNKNOWN, name: id, doc: UNKNOWN });
  return `${JSON.stringify(id)}: ${provider.slice(0, -1)},"models":{\n`;
}

/** Undefined: a fact that it must have is not known. */
function modelOf(offer: Offer): Readonly<Record<string, unknown>> | undefined {
  const { model, price } = offer;
  const facts = factsOf(model);
  if (facts === undefined) return undefined;
  const { capabilities, release_date: released, modalities } = facts;
  const isReasoning = capabilities.includes('reasoning');
  const updated = price.updated_at.slice(0, 'YYYY-MM-DD'.length);
  return {
    id: model.id,
    name: model.name,
    description: model.organization === null ? model.name : `${model.name} by ${model.organization}`,
    attachment: modalities.input.some((one) => one !== 'text'),
    reasoning: isReasoning,
    reasoning_options: isReasoning ? [] : undefined,
    tool_call: capabilities.includes('tools'),
    structured_output: capabilities.includes('structured_output') ? true : undefined,
    knowledge: MONTH.test(model.knowledge_cutoff ?? '') ? model.knowledge_cutoff : undefined,
    release_date: released,
    last_updated: updated > released ? updated : released,
    modalities,
    open_weights: facts.open_weights,
    limit: { context: facts.context_length, output: facts.max_output_tokens },
    status: model.status === 'retired' ? 'deprecated' : undefined,
    cost: isInDollars(offer) ? costOf(offer, isReasoning) : undefined,
  };
}

/** At least a month. */
const MONTH = /^\d{4}-\d{2}/;

function isKnown(modality: string): boolean {
  return MODALITIES.has(modality);
}

/** What every model of the schema has. */
function factsOf(model: Offer['model']) {
  const {
    release_date,
    context_length,
    max_output_tokens = null,
    open_weights = null,
    modalities,
    capabilities,
  } = model;
  if (release_date === null || context_length === null || max_output_tokens === null || open_weights === null)
    return undefined;
  if (!modalities || !capabilities) return undefined;
  const known = { input: modalities.input.filter(isKnown), output: modalities.output.filter(isKnown) };
  return { release_date, context_length, max_output_tokens, open_weights, modalities: known, capabilities };
}

type Cost = Readonly<Record<string, number>>;

/** Undefined without a price of input and output. */
function costOf({ rates }: Offer, isReasoning: boolean): object | undefined {
  const said = rates.filter(
    ({ meter, unit, when = {} }) =>
      unit === 'token' &&
      (meter !== 'reasoning' || isReasoning) &&
      when.tier === undefined &&
      when.region === undefined &&
      (when.context_min === undefined || when.applies === 'request'),
  );
  const base = pricesAt(said, undefined);
  if (base['input'] === undefined || base['output'] === undefined) return undefined;
  const sizes = [...new Set(said.flatMap(({ when }) => when?.context_min ?? []))].sort((a, b) => a - b);
  // What a size doesn't name costs what it costs below.
  let below = { input: base['input'], output: base['output'] };
  const tiers = sizes.map((size) => {
    const prices = { ...below, ...pricesAt(said, size) };
    below = { input: prices.input, output: prices.output };
    return { ...prices, tier: { type: 'context', size } };
  });
  const over200k = tiers.find(({ tier }) => tier.size === 200_000);
  return {
    ...base,
    ...(tiers.length === 0 ? {} : { tiers }),
    ...(over200k === undefined ? {} : { context_over_200k: { ...over200k, tier: undefined } }),
  };
}

function pricesAt(rates: readonly Rate[], size: number | undefined): Cost {
  const found = METERS.flatMap((meter) => {
    const [field, rate] = [FIELDS[meter], rates.find((one) => one.meter === meter && one.when?.context_min === size)];
    return field === undefined || rate === undefined ? [] : [[field, comparedPrice(rate)] as const];
  });
  return Object.fromEntries(found);
}
