import { z } from 'zod';
import { CONFIDENCES, MATCHES, resolveName } from '../queries/resolve-name.ts';
import { dataRoute } from '../responses/data-route.ts';
import { all, contentOf, inForce } from '../responses/dependencies.ts';
import { freeText, integer } from '../responses/parameters.ts';

const MatchSchema = z
  .object({
    model_id: z.string().describe('The model'),
    name: z.string().describe('Its name'),
    organization: z.string().nullable().describe('Its maker'),
    match: z.enum(MATCHES).describe('What of the model it matches, or the last step that makes both the same'),
    confidence: z
      .enum(CONFIDENCES)
      .describe('exact, sure: no other model matches as well; likely, possible: ask before you use it'),
    why: z.string().describe('Why, in words'),
  })
  .meta({ id: 'NameMatch' });

const ResolvedSchema = z
  .object({
    name: z.string().describe('As requested'),
    matches: z.array(MatchSchema).describe('Best first; empty if no model matches'),
  })
  .meta({ id: 'ResolvedName' });

/** `GET /v1/resolve` (specification "Names as people write them"). */
export const resolveRoute = dataRoute({
  path: '/v1/resolve',
  operationId: 'resolveName',
  capability: 'resolve',
  feature: null,
  limitPerMinute: 120,
  summary: 'The models that a name means, however it is written',
  query: z.object({
    name: freeText({
      max: 200,
      description: 'A model’s name, as an upstream, a seller or a person writes it',
      example: 'azure/eu/gpt-5.4-mini',
    }),
    limit: integer({ min: 1, max: 20, fallback: 10, description: 'Most matches' }),
  }),
  response: ResolvedSchema,
  csv: 'matches',
  example: {
    name: 'azure/eu/gpt-5.4-mini',
    matches: [
      {
        model_id: 'gpt-5.4-mini',
        name: 'GPT-5.4 mini',
        organization: 'openai',
        match: 'path',
        confidence: 'sure',
        why: 'its id without what stands before a slash',
      },
    ],
  },
  dependsOnText: 'the models, their names and their ranks',
  errors: [],
  cacheControl: 'public, max-age=60',
  prepare: ({ query }) => query,
  handle: ({ name, limit }) => ({
    dependsOn: ({ view }) => all(contentOf(view, ['models', 'rankings']), inForce(view.names)),
    cached: async ({ view }) => JSON.stringify({ name, matches: resolveName(view, name, limit) }),
  }),
});
