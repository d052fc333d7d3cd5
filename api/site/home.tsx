import type { JSX } from 'preact';
import type { Day } from '../../runtime/day.ts';
import { formatDay } from '../charts/format.ts';
import { HttpError } from '../server/errors/http-error.ts';
import { renderPage } from '../server/pages/html.tsx';
import { ICON, ICON_TYPE } from '../server/pages/styles.ts';
import { HTML_TYPE } from '../server/response-headers.ts';
import { type PublicRoute, publicRoute } from './public-route.ts';

export interface HomeSettings {
  /** Base path of the service, such as `/stats`; may be empty. */
  readonly root: string;
  readonly stylesheet: string;
  readonly hasConsole: boolean;
}

/** No script, and only our own styles and images. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `GET /`: the service in brief, with links. */
export function homeRoute(settings: HomeSettings): PublicRoute {
  const withoutData = renderHome({ ...settings, day: undefined, embedsAt: undefined, hasDates: false });
  return publicRoute({
    path: '/',
    type: HTML_TYPE,
    headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'X-Frame-Options': 'DENY' },
    refuse: (error) =>
      error instanceof HttpError && error.code === 'unavailable' ? { status: 503, body: withoutData } : undefined,
    response: async (_, { view, baseUrl, isLive }) => {
      const embedsAt = isLive('embeds') ? baseUrl : undefined;
      return renderHome({ ...settings, day: view.newest.day, embedsAt, hasDates: isLive('lifecycle') });
    },
  });
}

interface HomeProps extends HomeSettings {
  /** Of the newest release, if any. */
  readonly day: Day | undefined;
  /** Base URL for embeds; undefined if they are not live. */
  readonly embedsAt: string | undefined;
  /** Whether there is a calendar of them. */
  readonly hasDates: boolean;
}

function renderHome({ root, stylesheet, hasConsole, day, embedsAt, hasDates }: HomeProps): string {
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
      <p class="lead">A daily record of AI models: scores, rankings, prices, and every change.</p>
      {day === undefined ? <p>No data is available at the moment. Try again later.</p> : <AsOf day={day} />}
      <h2>The API</h2>
      <ul>
        <li>
          <a href={`${root}/docs`}>Documentation</a>: first steps, contents and prices
        </li>
        <li>
          <a href={`${root}/openapi.json`}>OpenAPI document</a> for programs
        </li>
        {hasConsole && (
          <li>
            <a href={`${root}/console`}>Console</a>: sign up, keys, usage, and the data in charts
          </li>
        )}
      </ul>
      {embedsAt !== undefined && <WithoutKey root={root} baseUrl={embedsAt} hasDates={hasDates} />}
    </main>
  );
  return renderPage({ title: 'modelstats', head, children: body });
}

function AsOf({ day }: { readonly day: Day }): JSX.Element {
  return (
    <p>
      The data is as of <time datetime={day}>{formatDay(day)}</time>; it is captured once a night.
    </p>
  );
}

interface WithoutKeyProps {
  readonly root: string;
  readonly baseUrl: string;
  readonly hasDates: boolean;
}

function WithoutKey({ root, baseUrl, hasDates }: WithoutKeyProps): JSX.Element {
  return (
    <>
      <h2>Without a key</h2>
      <ul>
        <li>
          <a href={`${root}/feeds/changes.atom`}>Feed of changes</a>: new models, prices, ranks
        </li>
        {hasDates && (
          <li>
            <a href={`${root}/feeds/lifecycle.ics`}>Calendar of retirements</a>: when models are switched off
          </li>
        )}
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
