/**
 * Offers as LiteLLM's model_prices_and_context_window.json has them (specification "Exports"): the reverse of sources/litellm, whose
 * README.md has the meaning of each field. What the file can't say is left out: prices in other currencies, the tier `fast`, regions,
 * thresholds that are no thousands or aren't for the whole request, sizes of searches.
 */
import type { Rate } from '../../../schemas/rates.ts';
import { LITELLM_NAMES, MAKERS, PLAIN_KEYS } from './litellm-providers.ts';
import { isInDollars, type Names, type Offer, unitPrice } from './offer.ts';

/** By meter and unit. */
const FIELDS: Readonly<Record<string, string>> = {
  'input token': 'input_cost_per_token',
  'output token': 'output_cost_per_token',
  'cache_read token': 'cache_read_input_token_cost',
  'cache_write token': 'cache_creation_input_token_cost',
  'cache_write_1h token': 'cache_creation_input_token_cost_above_1hr',
  'reasoning token': 'output_cost_per_reasoning_token',
  'image_in token': 'input_cost_per_image_token',
  'image_out token': 'output_cost_per_image_token',
  'image_in image': 'input_cost_per_image',
  'image_out image': 'output_cost_per_image',
  'audio_in token': 'input_cost_per_audio_token',
  'audio_out token': 'output_cost_per_audio_token',
  'audio_in second': 'input_cost_per_audio_per_second',
  'request request': 'input_cost_per_request',
};

const TIER_SUFFIXES: Readonly<Record<string, string>> = { batch: '_batches', flex: '_flex', priority: '_priority' };

/** By capability. */
const SUPPORTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tools: 'supports_function_calling',
    structured_output: 'supports_response_schema',
    reasoning: 'supports_reasoning',
    vision: 'supports_vision',
    pdf: 'supports_pdf_input',
    audio_in: 'supports_audio_input',
    audio_out: 'supports_audio_output',
    video_in: 'supports_video_input',
    web_search: 'supports_web_search',
    prompt_caching: 'supports_prompt_caching',
    computer_use: 'supports_computer_use',
  }),
);

/** In the order of the offers; empty texts come while it only computes. */
export function* litellmJson(offers: readonly Offer[], names: Names): Generator<string, void> {
  let separator = '{\n';
  for (const [key, offer] of yield* offersByKey(offers, names)) {
    yield `${separator}${JSON.stringify(key)}: ${JSON.stringify(entryOf(offer))}`;
    separator = ',\n';
  }
  yield separator === '{\n' ? '{}\n' : '\n}\n';
}

/** Of offers with one key LiteLLM's own counts first, then one whose provider has LiteLLM's name, then the first. */
function* offersByKey(offers: readonly Offer[], names: Names): Generator<'', ReadonlyMap<string, Offer>> {
  const chosen = new Map<string, Offer>();
  for (const offer of offers) {
    yield '';
    if (!isPriced(offer)) continue;
    for (const key of keysOf(offer, names)) {
      const other = chosen.get(key);
      if (other === undefined || rankOf(offer) < rankOf(other)) chosen.set(key, offer);
    }
  }
  return chosen;
}

/** LiteLLM takes an absent price of input or output as 0, so one of them has to be there. */
function isPriced(offer: Offer): boolean {
  const { input_per_million: input, output_per_million: output } = offer.price;
  return isInDollars(offer) && (input !== null || output !== null);
}

const OWN = 'litellm';

function rankOf({ price: { source, provider } }: Offer): number {
  return (source === OWN ? 0 : 2) + (LITELLM_NAMES.has(provider) ? 1 : 0);
}

/** One for each name that the sources of the price and of the model have for it: the provider's own is among them. */
function keysOf({ model, price: { model_id: id, provider, source } }: Offer, names: Names): readonly string[] {
  const prefix = `${source}:`;
  const isOwn = source === OWN;
  if (isOwn && id.startsWith(prefix)) return [id.slice(prefix.length)];
  const namesAt = (upstream: string | null | undefined) => names.get(id)?.get(upstream ?? '') ?? [];
  // LiteLLM's names are keys, of the model's other providers too.
  const own = isOwn ? [id, ...namesAt(OWN)].filter((key) => isPlain(key, provider) || isOfRoute(key, provider)) : [];
  const others = [
    ...(own.includes(id) ? [] : [id.startsWith(prefix) ? id.slice(prefix.length) : id]),
    ...(isOwn ? [] : namesAt(source)),
    ...(model.source === OWN ? [] : namesAt(model.source)),
  ];
  return [...new Set([...own, ...others.map((name) => keyOf(name, provider))])];
}

/** `provider/model`, or the model alone where LiteLLM names it so. */
function keyOf(name: string, provider: string): string {
  return isPlain(name, provider) ? name : `${routeOf(provider)}/${name}`;
}

function isPlain(name: string, provider: string): boolean {
  return PLAIN_KEYS.some(({ providers, models }) => providers.test(provider) && models.test(name));
}

/** `azure/gpt-…` of `azure_text`, `vertex_ai/claude-…` of `vertex_ai-anthropic_models`. */
function isOfRoute(key: string, provider: string): boolean {
  const [route = ''] = key.split('/', 1);
  return route !== key && provider.replaceAll('-', '_').startsWith(route.replaceAll('-', '_'));
}

/** `vertex_ai` of `vertex_ai-language-models`. */
function routeOf(provider: string): string {
  const name = nameOf(provider);
  return name.startsWith('vertex_ai-') ? 'vertex_ai' : name;
}

function nameOf(provider: string): string {
  return LITELLM_NAMES.get(provider) ?? provider;
}

function entryOf(offer: Offer): Readonly<Record<string, unknown>> {
  const { model, price, rates } = offer;
  const name = nameOf(price.provider);
  return {
    litellm_provider: name,
    ...known('max_input_tokens', model.context_length),
    ...known('max_output_tokens', model.max_output_tokens),
    ...Object.assign({}, ...rates.map(costOf)),
    ...known('supported_modalities', model.modalities?.input),
    ...known('supported_output_modalities', model.modalities?.output),
    ...Object.assign({}, ...(model.capabilities ?? []).map((capability) => known(SUPPORTS.get(capability), true))),
    // Of other sellers it is not known.
    ...(MAKERS.has(name) ? known('deprecation_date', model.retires_on) : {}),
    metadata: {
      model_id: model.id,
      provider: price.provider,
      ...known('source', price.source),
      updated_at: price.updated_at,
    },
  };
}

function known(field: string | undefined, value: unknown): Readonly<Record<string, unknown>> {
  return field === undefined || value === null || value === undefined ? {} : { [field]: value };
}

function costOf(rate: Rate): Readonly<Record<string, unknown>> {
  const { meter, unit, when } = rate;
  const cost = unitPrice(rate);
  if (meter === 'search')
    return when === undefined ? { search_context_cost_per_query: { search_context_size_medium: cost } } : {};
  const [field, suffix] = [FIELDS[`${meter} ${unit}`], suffixOf(rate)];
  return field === undefined || suffix === undefined ? {} : { [field + suffix]: cost };
}

/** Undefined: the condition can't be said. */
function suffixOf({ when = {} }: Rate): string | undefined {
  const { tier, context_min: threshold, applies, region } = when;
  const ofTier = tier === undefined ? '' : TIER_SUFFIXES[tier];
  if (ofTier === undefined || region !== undefined) return undefined;
  if (threshold === undefined) return ofTier;
  return applies === 'request' && threshold % 1000 === 0 ? `_above_${threshold / 1000}k_tokens${ofTier}` : undefined;
}
