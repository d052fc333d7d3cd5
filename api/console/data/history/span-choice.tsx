import type { JSX } from 'preact';
import { withQuery } from '../../shell/parts.tsx';
import type { OrganizationPages } from '../../shell/visitor.ts';
import { SPANS, type Span } from './history-span.ts';

/** Links to the same page with more or fewer days in its charts. */
export function SpanChoice({ pages, shown }: { readonly pages: OrganizationPages; readonly shown: Span }): JSX.Element {
  const [here = ''] = pages.url.split('?', 1);
  return (
    <nav class="choices" aria-label="Days in the charts">
      {SPANS.map((days) => (
        <a
          href={withQuery(here, { ...pages.query, days: String(days) })}
          aria-current={days === shown ? 'true' : undefined}
        >{`${days} days`}</a>
      ))}
    </nav>
  );
}
