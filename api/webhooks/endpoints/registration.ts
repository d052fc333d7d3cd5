import { z } from 'zod';
import { AppError } from '../../../runtime/errors.ts';
import { TOPICS } from '../topics/topics.ts';
import { ENDPOINT_MODES } from './endpoint.ts';
import { FiltersSchema } from './filters.ts';

/** Says why a request to an address would be refused before anything is sent; undefined where it would not be. */
export type FindUrlProblem = (url: string) => string | undefined;

const DESCRIPTION_CHARACTERS_MAX = 200;

/** What an organization asks for (specification "Webhook endpoints"). */
export const RegistrationSchema = z.object({
  organizationId: z.string(),
  url: z.string(),
  description: z.string().refine((text) => [...text].length <= DESCRIPTION_CHARACTERS_MAX && !/\p{Cc}/u.test(text), {
    error: `must be one line of at most ${DESCRIPTION_CHARACTERS_MAX} characters`,
  }),
  topics: z.array(z.enum(TOPICS)).min(1, 'must be one or more').readonly(),
  filters: FiltersSchema.readonly(),
  mode: z.enum(ENDPOINT_MODES),
});
export type Registration = Readonly<z.infer<typeof RegistrationSchema>>;

/** What is asked for, its address as it will be called. Throws `usage` with all that is wrong, a problem a line. */
export function parseRegistration(wanted: unknown, findUrlProblem: FindUrlProblem): Registration {
  const parsed = RegistrationSchema.safeParse(wanted);
  const url = RegistrationSchema.pick({ url: true }).safeParse(wanted).data?.url;
  const urlProblem = url === undefined ? undefined : findUrlProblem(url);
  const problems = [
    ...(urlProblem === undefined ? [] : [`the address of the endpoint: ${urlProblem}`]),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
  ];
  if (problems.length > 0 || parsed.data === undefined) throw new AppError('usage', problems.join('\n'));
  const address = new URL(parsed.data.url);
  address.hash = ''; // Never sent.
  return { ...parsed.data, url: address.href };
}
