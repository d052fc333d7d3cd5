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

/** Parameters of a page to embed; those of its own are text. */
export type EmbedQuery = Readonly<Record<string, string | undefined>> & { readonly theme?: Theme | undefined };

/** The parameter that every page to embed has. */
export const THEME = {
  theme: oneOf(THEMES, { description: 'Default: as the reader wants it', example: 'dark' }).optional(),
};

/** A kind of page to embed, as it is written down. */
export interface EmbedDefinition<Query extends EmbedQuery> {
  /** The path below `/embed/`, before the id. */
  readonly folder: 'models' | 'rankings';
  readonly query: z.ZodObject & z.ZodType<Query>;
  /** What is wrong with parameters that are right one by one; default: nothing. */
  readonly check?: (query: Query) => readonly RequestProblem[];
  readonly heights: FrameHeights;
  /** What the page with this id is called. Rejects with `not_found` where there is none. */
  readonly titleOf: (id: string, context: PublicContext) => Promise<string>;
  /** What stands on it. Rejects as `titleOf`. */
  readonly draw: (request: EmbedRequest<Query>, context: PublicContext) => Promise<JSX.Element>;
}

export interface EmbedRequest<Query> {
  readonly id: string;
  readonly query: Query;
}

/** A kind of page to embed, whatever its parameters are. */
export interface Embed {
  readonly folder: EmbedDefinition<EmbedQuery>['folder'];
  readonly heights: FrameHeights;
  /** Looks for the page that a request of this kind means. Rejects with HttpError or RequestInvalid. */
  find(request: GivenRequest, context: PublicContext): Promise<FoundEmbed>;
  /** @param version of the style sheets */
  route(version: string): PublicRoute;
}

export interface FoundEmbed {
  readonly title: string;
  /** Its address, with the parameters that it knows and no others. */
  readonly url: string;
}

/** Makes a kind of page of its definition: the types of its parameters end here. */
export function embedOf<Query extends EmbedQuery>(definition: EmbedDefinition<Query>): Embed {
  const { folder, query: querySchema, check, heights, titleOf, draw } = definition;
  const schemas = { params: z.object({ id: idParameter('What it shows; encode a slash as %2F') }), query: querySchema };
  const assertRight = (query: Query) => {
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
      assertRight(query);
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
          assertRight(query);
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

/** The page of an error, in the theme that was asked for as far as that is one. Nobody knows yet how the service is reached. */
function refuse(
  error: HttpError | RequestInvalid,
  { request, version }: { readonly request: GivenRequest; readonly version: string },
): PublicRefusal {
  const isKnown = error instanceof HttpError;
  const status = isKnown ? error.status : 422;
  const title = isKnown ? error.message : 'This address can not be shown';
  const help = HELP[status] ?? error.message;
  const theme = themeOf(request.query);
  const page = { title, theme, base: UP_FROM_HERE, version };
  return { status, body: renderEmbed({ ...page, children: <Failure title={title} help={help} /> }) };
}

const HELP: Readonly<Record<number, string>> = {
  404: 'It may have been removed, or be called otherwise now.',
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

/** Any site may frame these pages, and nothing runs in them: what slips into one as text can do nothing there. */
const EMBED_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
  'X-Frame-Options': '',
} as const;

/**
 * From `/embed/<kind>/<id>` up to the base path. Style sheets are asked for so, as the policy allows those of the very host that a page came
 * from, which need not be the base URL's.
 */
const UP_FROM_HERE = '../..';

interface EmbedPageProps {
  readonly title: string;
  /** Undefined: as the reader wants it. */
  readonly theme: Theme | undefined;
  /** What stands before this service's own paths: `scheme://host/prefix`, or a relative path. */
  readonly base: string;
  /** Of the style sheets. */
  readonly version: string;
  /** The page's own address, for programs that ask how to embed it; left out: they can't. */
  readonly url?: string;
  /** As of which day the data are; left out: there are none. */
  readonly day?: Day;
  readonly children?: ComponentChildren;
}

/** A page as a whole. */
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
      <link rel="stylesheet" href={`${UP_FROM_HERE}/${EMBED_STYLES}/${theme ?? 'auto'}.css?v=${version}`} />
    </>
  );
  const body = (
    <>
      <main>{children}</main>
      <footer>
        <span>
          Data: <Outwards href={`${base}/`} text="modelstats" />
        </span>
        {day !== undefined && <time datetime={day}>{`as of ${formatDay(day)}`}</time>}
      </footer>
    </>
  );
  return renderPage({ title: `${title} · modelstats`, colorScheme: theme ?? 'light dark', head, children: body });
}

/** A link that leaves the frame: what it leads to needs more room. */
export function Outwards({ href, text }: { readonly href: string; readonly text: string }): JSX.Element {
  return (
    <a href={href} target="_blank" rel="noopener">
      {text}
    </a>
  );
}

/** Says what went wrong, in the frame itself. */
function Failure({ title, help }: { readonly title: string; readonly help: string }): JSX.Element {
  return (
    <>
      <h1 dir="auto">{title}</h1>
      <p class="note">{help}</p>
    </>
  );
}
