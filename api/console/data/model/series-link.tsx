import type { JSX } from 'preact';
import { withQuery } from '../../shell/parts.tsx';
import type { OrganizationPages } from '../../shell/visitor.ts';

export interface SeriesLinkProps {
  readonly pages: OrganizationPages;
  /** The parameter that names the series, and its value. */
  readonly parameter: 'provider' | 'benchmark';
  readonly series: string;
  /** The id of the section that shows it. */
  readonly section: string;
  readonly isShown: boolean;
}

/** Shows another series in a section's chart: in place where scripts run, else as the page itself. */
export function SeriesLink({ pages, parameter, series, section, isShown }: SeriesLinkProps): JSX.Element {
  const [path = ''] = pages.url.split('?', 1);
  const here = withQuery(path, { ...pages.query, [parameter]: series });
  return (
    <a
      href={`${here}#${section}`}
      hx-get={here}
      hx-select={`#${section}`}
      hx-target={`#${section}`}
      hx-swap="outerHTML"
      hx-push-url="true"
      aria-current={isShown ? 'true' : undefined}
    >
      {series}
    </a>
  );
}
