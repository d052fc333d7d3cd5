import type { ErrorTable } from '../../server/errors/http-error.ts';
import { GUIDE, type GuidePage } from '../pages.ts';
import type { Place } from './search-index.ts';

/** Everything that can be found: each section of each page, and each error code. @param root the base path */
export function placesOf(
  pages: readonly GuidePage[],
  { root, errors }: { readonly root: string; readonly errors: ErrorTable },
): readonly Place[] {
  const places = pages.flatMap(({ path, title, sections }) =>
    sections.map(({ heading, anchor, depth, text, code }) => ({
      href: depth === 1 ? root + path : `${root}${path}#${anchor}`,
      page: title,
      heading,
      text,
      code,
    })),
  );
  const codes = Object.entries(errors).map(([name, { status, title, help }]) => ({
    href: `${root}${GUIDE}/errors/${name}`,
    page: 'Error codes',
    heading: name,
    text: `${status}. ${title}. ${help}`,
    code: '',
  }));
  return [...places, ...codes];
}
