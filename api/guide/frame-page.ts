import { type Frame, type PageProps, renderGuidePage } from './layout.tsx';

/** Stands where the body of a page has its place. It is no word that a frame could hold besides. */
const BODY = '[the body of the page]';

/** A page around a body that is HTML already: rendered Markdown of ours, or the page of an error. */
export function framePage(frame: Frame, body: string, props: Omit<PageProps, 'frame'>): string {
  const html = renderGuidePage({ ...props, frame, children: BODY });
  const [before, after, ...others] = html.split(BODY);
  if (after === undefined || others.length > 0) throw new Error(`the frame of ${props.title} has no place for a body`);
  return `${before}${body}${after}`;
}

/** No script at all, and no style or picture that isn't ours; a form leads to the search alone. */
export const GUIDE_HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
} as const;

/** Of a page that says what can not be shown now. */
export const REFUSAL_HEADERS = { ...GUIDE_HEADERS, 'Cache-Control': 'no-store' } as const;
