/**
 * The constraints that models.dev puts on its api.json, restated from `packages/core/src/schema.ts` of github.com/anomalyco/models.dev
 * (MIT) as of August 2026: strict objects, and its rules across fields. Left out are fields that no export has.
 */
import { z } from 'zod';

const Amount = z.number().min(0);
const DateText = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/);
const Modality = z.enum(['text', 'audio', 'image', 'video', 'pdf']);

const Cost = z.strictObject({
  input: Amount,
  output: Amount,
  reasoning: Amount.optional(),
  cache_read: Amount.optional(),
  cache_write: Amount.optional(),
  input_audio: Amount.optional(),
  output_audio: Amount.optional(),
});
const Tier = Cost.extend({ tier: z.strictObject({ type: z.literal('context'), size: z.int().min(0) }) });

const Model = z
  .strictObject({
    id: z.string(),
    name: z.string().min(1),
    description: z.string().min(1),
    attachment: z.boolean(),
    reasoning: z.boolean(),
    reasoning_options: z.array(z.strictObject({ type: z.literal('toggle') })).optional(),
    tool_call: z.boolean(),
    structured_output: z.boolean().optional(),
    temperature: z.boolean().optional(),
    knowledge: DateText.optional(),
    release_date: DateText,
    last_updated: DateText,
    modalities: z.strictObject({ input: z.array(Modality), output: z.array(Modality) }),
    open_weights: z.boolean(),
    limit: z.strictObject({ context: Amount, input: Amount.optional(), output: Amount }),
    status: z.enum(['alpha', 'beta', 'deprecated']).optional(),
    cost: Cost.extend({ tiers: z.array(Tier).optional(), context_over_200k: Cost.optional() }).optional(),
  })
  .refine(
    (model) => model.reasoning === (model.reasoning_options !== undefined),
    'reasoning_options goes with reasoning',
  )
  .refine((model) => model.reasoning || model.cost?.reasoning === undefined, 'cost.reasoning needs reasoning')
  .refine(({ cost }) => {
    const sizes = (cost?.tiers ?? []).map(({ tier }) => tier.size);
    return new Set(sizes).size === sizes.length;
  }, 'sizes of tiers differ');

/** Of these packages an address is demanded; of others than the last two it is forbidden. */
const WITH_ADDRESS = ['@ai-sdk/openai-compatible', '@openrouter/ai-sdk-provider'];
const EITHER_WAY = ['@ai-sdk/openai', '@ai-sdk/anthropic'];

const Provider = z
  .strictObject({
    id: z.string(),
    env: z.array(z.string()).min(1),
    npm: z.string().min(1),
    api: z.string().optional(),
    name: z.string().min(1),
    doc: z.string().min(1),
    models: z.record(z.string(), Model),
  })
  .refine(
    ({ npm, api }) => EITHER_WAY.includes(npm) || WITH_ADDRESS.includes(npm) === (api !== undefined),
    'api is there if and only if the package needs it',
  );

export const ModelsDevSchema = z.record(z.string(), Provider);
