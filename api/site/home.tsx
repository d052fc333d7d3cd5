import type { JSX } from 'preact';
import type { Day } from '../../runtime/day.ts';
import { formatDay } from '../charts/format.ts';
import { HttpError } from '../server/errors/http-error.ts';
import { renderPage } from '../server/pages/html.tsx';
import { ICON, ICON_TYPE } from '../server/pages/styles.ts';
import { HTML_TYPE } from '../server/response-headers.ts';
import { type PublicRoute, publicRoute } from './public-route.ts';

export interface HomeSettings {
  /** Before every address of the service, such as `/stats`; empty for none. */
  readonly root: string;
  /** Path of the stylesheet. */
  readonly stylesheet: string;
  readonly hasConsole: boolean;
}

/** No script at all, and no style, picture or frame that isn't ours. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `GET /`: what the service is, and where everything else lies. */
export function homeRoute(settings: HomeSettings): PublicRoute {
  const withoutData = renderHome({ ...settings, day: undefined, embedsAt: undefined });
  return publicRoute({
    path: '/',
    type: HTML_TYPE,
    headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'X-Frame-Options': 'DENY' },
    refuse: (error) =>
      error instanceof HttpError && error.code === 'unavailable' ? { status: 503, body: withoutData } : undefined,
    response: async (_, { view, baseUrl, isLive }) => {
      const embedsAt = isLive('embeds') ? baseUrl : undefined;
      return renderHome({ ...settings, day: view.newest.day, embedsAt });
    },
  });
}

interface HomeProps extends HomeSettings {
  /** Of the newest release; undefined where there is none to answer from. */
  readonly day: Day | undefined;
  /** The address of the service, for what others embed; undefined where that is not live. */
  readonly embedsAt: string | undefined;
}

function renderHome({ root, stylesheet, hasConsole, day, embedsAt }: HomeProps): string {
  const head = (
    <>
      <meta name="description" content="A daily record of AI models: scores, rankings, prices, and every change." />
      <link rel="stylesheet" href={stylesheet} />
      <link rel="icon" type={ICON_TYPE} href={root + ICON} />
    </>
  );
  const body = (
    <main>
      <h1>modelstats</h1>
      <p class="lead">
        A daily record of AI models: what there is, how it scores and ranks, what it costs, and every change of it.
      </p>
      {day === undefined ? <p>There are no data to answer from now. Come back in a while.</p> : <AsOf day={day} />}
      <h2>The API</h2>
      <ul>
        <li>
          <a href={`${root}/docs`}>Documentation</a>: how to begin, what there is, and what it costs
        </li>
        <li>
          <a href={`${root}/openapi.json`}>OpenAPI document</a>, the same for programs
        </li>
        {hasConsole && (
          <li>
            <a href={`${root}/console`}>Console</a>: sign up, keys, usage, and the data in pictures
          </li>
        )}
      </ul>
      {embedsAt !== undefined && <WithoutKey root={root} baseUrl={embedsAt} />}
    </main>
  );
  return renderPage({ title: 'modelstats', head, children: body });
}

function AsOf({ day }: { readonly day: Day }): JSX.Element {
  return (
    <p>
      The data are as of <time datetime={day}>{formatDay(day)}</time>; they are captured once a night.
    </p>
  );
}

interface WithoutKeyProps {
  readonly root: string;
  readonly baseUrl: string;
}

/** What can be had without a key. */
function WithoutKey({ root, baseUrl }: WithoutKeyProps): JSX.Element {
  return (
    <>
      <h2>Without a key</h2>
      <ul>
        <li>
          <a href={`${root}/feeds/changes.atom`}>Feed of changes</a>: new models, prices, ranks
        </li>
        <li>
          Badges of a model&rsquo;s rank, score or price for your own pages, such as{' '}
          <img src={`${root}/badges/source.svg`} alt="data: modelstats" height="20" />
        </li>
      </ul>
      <pre>
        <code>{`[![rank](${baseUrl}/badges/models/{id}.svg)](${baseUrl}/)`}</code>
      </pre>
    </>
  );
}
