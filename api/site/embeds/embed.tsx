import type { ComponentChildren, JSX } from 'preact';
import { z } from 'zod';
import type { Day } from '../../../runtime/day.ts';
import { formatDay } from '../../charts/format.ts';
import { id as idParameter, oneOf } from '../../data/responses/parameters.ts';
import { HttpError, RequestInvalid, type RequestProblem } from '../../server/errors/http-error.ts';
import { renderPage } from '../../server/pages/html.tsx';
import { parseRequest } from '../../server/parse-request.ts';
import { HTML_TYPE } from '../../server/response-headers.ts';
import type { GivenRequest } from '../../server/route.ts';
import { type PublicContext, type PublicRefusal, type PublicRoute, publicRoute } from '../public-route.ts';
import { EMBED_STYLES, type FrameHeights, THEMES, type Theme } from './frame.ts';

/** Parameters of an embed; a kind's own are text. */
export type EmbedQuery = Readonly<Record<string, string | undefined>> & { readonly theme?: Theme | undefined };

/** Common to all embeds. */
export const THEME = {
  theme: oneOf(THEMES, { description: "Default: the reader's preference", example: 'dark' }).optional(),
};

export interface EmbedDefinition<Query extends EmbedQuery> {
  /** Below `/embed/`, before the id. */
  readonly folder: 'models' | 'rankings';
  readonly query: z.ZodObject & z.ZodType<Query>;
  /** Problems of individually valid parameters. */
  readonly check?: (query: Query) => readonly RequestProblem[];
  readonly heights: FrameHeights;
  /** Title of the page with this id; rejects with `not_found`. */
  readonly titleOf: (id: string, context: PublicContext) => Promise<string>;
  /** Its content. Rejects as `titleOf`. */
  readonly draw: (request: EmbedRequest<Query>, context: PublicContext) => Promise<JSX.Element>;
}

export interface EmbedRequest<Query> {
  readonly id: string;
  readonly query: Query;
}

/** A kind of embed, without the types of its parameters. */
export interface Embed {
  readonly folder: EmbedDefinition<EmbedQuery>['folder'];
  readonly heights: FrameHeights;
  /** Rejects with HttpError or RequestInvalid. */
  find(request: GivenRequest, context: PublicContext): Promise<FoundEmbed>;
  /** @param version of the style sheets */
  route(version: string): PublicRoute;
}

export interface FoundEmbed {
  readonly title: string;
  /** Its address, with the known parameters only. */
  readonly url: string;
}

export function embedOf<Query extends EmbedQuery>(definition: EmbedDefinition<Query>): Embed {
  const { folder, query: querySchema, check, heights, titleOf, draw } = definition;
  const schemas = {
    params: z.object({ id: idParameter('The model or category; encode a slash as %2F') }),
    query: querySchema,
  };
  const assertValid = (query: Query) => {
    const problems = check?.(query) ?? [];
    if (problems.length > 0) throw new RequestInvalid(problems);
  };
  const urlOf = ({ id, query }: EmbedRequest<Query>, { baseUrl }: PublicContext) =>
    withQuery(`${baseUrl}/embed/${folder}/${encodeURIComponent(id)}`, query);
  return {
    folder,
    heights,
    find: async (request, context) => {
      const { params, query } = parseRequest(schemas, request);
      assertValid(query);
      return { title: await titleOf(params.id, context), url: urlOf({ ...params, query }, context) };
    },
    route: (version) =>
      publicRoute({
        path: `/embed/${folder}/:id`,
        type: HTML_TYPE,
        headers: EMBED_HEADERS,
        ...schemas,
        refuse: (error, request) => refuse(error, { request, version }),
        response: async ({ params, query }, context) => {
          assertValid(query);
          const request = { ...params, query };
          const [title, content] = await Promise.all([titleOf(params.id, context), draw(request, context)]);
          const url = urlOf(request, context);
          const { baseUrl: base, view } = context;
          const page = { title, theme: query.theme, base, version, url, day: view.newest.day };
          return renderEmbed({ ...page, children: content });
        },
      }),
  };
}

/** In the requested theme, if valid. The base URL is unknown here. */
function refuse(
  error: HttpError | RequestInvalid,
  { request, version }: { readonly request: GivenRequest; readonly version: string },
): PublicRefusal {
  const isKnown = error instanceof HttpError;
  const status = isKnown ? error.status : 422;
  const title = isKnown ? error.message : 'This address cannot be shown';
  const help = HELP[status] ?? error.message;
  const theme = themeOf(request.query);
  const page = { title, theme, base: BASE_FROM_EMBED, version };
  return { status, body: renderEmbed({ ...page, children: <Failure title={title} help={help} /> }) };
}

const HELP: Readonly<Record<number, string>> = {
  404: 'It may have been removed or renamed.',
  429: 'Try again in a minute.',
  503: 'Try again in a minute.',
};

function themeOf(query: unknown): Theme | undefined {
  const theme = typeof query === 'object' && query !== null && 'theme' in query ? query.theme : undefined;
  return THEMES.find((known) => known === theme);
}

function withQuery(url: string, query: EmbedQuery): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
  return given.size === 0 ? url : `${url}?${given}`;
}

/** Any site may frame these pages. Nothing runs in them, so injected text is harmless. */
const EMBED_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
  'X-Frame-Options': '',
} as const;

/**
 * From `/embed/<kind>/<id>` to the base path. The policy allows style sheets only from the page's host, which may
 * differ from the base URL's.
 */
const BASE_FROM_EMBED = '../..';

interface EmbedPageProps {
  readonly title: string;
  /** Default: the reader's preference. */
  readonly theme: Theme | undefined;
  /** Before this service's own paths: `scheme://host/prefix`, or a relative path. */
  readonly base: string;
  /** Of the style sheets. */
  readonly version: string;
  /** The page's address, for oEmbed; absent if it can't be embedded. */
  readonly url?: string;
  /** Date of the data, if there are any. */
  readonly day?: Day;
  readonly children?: ComponentChildren;
}

function renderEmbed({ title, theme, base, version, url, day, children }: EmbedPageProps): string {
  const head = (
    <>
      <meta name="robots" content="noindex" />
      {url !== undefined && (
        <link
          rel="alternate"
          type="application/json+oembed"
          href={`${base}/oembed?url=${encodeURIComponent(url)}`}
          title={title}
        />
      )}
      <link rel="stylesheet" href={`${BASE_FROM_EMBED}/${EMBED_STYLES}/${theme ?? 'auto'}.css?v=${version}`} />
    </>
  );
  const body = (
    <>
      <main>{children}</main>
      <footer>
        <span>
          Data: <ExternalLink href={`${base}/`} text="modelstats" />
        </span>
        {day !== undefined && <time datetime={day}>{`as of ${formatDay(day)}`}</time>}
      </footer>
    </>
  );
  return renderPage({ title: `${title} · modelstats`, colorScheme: theme ?? 'light dark', head, children: body });
}

/** Opens outside the frame, which is too small for the target. */
export function ExternalLink({ href, text }: { readonly href: string; readonly text: string }): JSX.Element {
  return (
    <a href={href} target="_blank" rel="noopener">
      {text}
    </a>
  );
}

/** In the frame itself. */
function Failure({ title, help }: { readonly title: string; readonly help: string }): JSX.Element {
  return (
    <>
      <h1 dir="auto">{title}</h1>
      <p class="note">{help}</p>
    </>
  );
}
