import type { z } from 'zod';
import type { Upstream } from '../../../schemas/upstreams.ts';
import type { FetchEntry } from './fetch-entry.ts';
import { findCollisions } from './fetch-paths.ts';

/** What `source.json` says of upstreams. */
interface FetchList {
  readonly upstreams: readonly Upstream[];
  readonly fetch: readonly FetchEntry[];
}

/** What no entry can know of itself: names that stand twice or nowhere, files in each other's way, and keys that don't go together. */
export function checkFetchList({ upstreams, fetch }: FetchList, context: z.RefinementCtx): void {
  const add = (path: readonly (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path: [...path], message });
  for (const [index, upstream] of upstreams.entries()) {
    const { id } = upstream;
    if (upstreams.findIndex((other) => other.id === id) < index) add(['upstreams', index, 'id'], `${id} stands twice`);
    for (const key of ['url', 'terms_url'] as const) {
      if (hasUser(upstream[key])) add(['upstreams', index, key], 'must hold no user and no password');
    }
  }
  for (const [index, entry] of fetch.entries()) {
    const isKnown = upstreams.some(({ id }) => id === entry.upstream);
    if (!isKnown) add(['fetch', index, 'upstream'], `${entry.upstream} is no id of upstreams`);
    for (const [key, message] of contradictionsIn(entry)) add(['fetch', index, key], message);
  }
  for (const { index, message } of findCollisions(fetch)) add(['fetch', index, 'file'], message);
}

/** Everybody is shown these addresses, so that a secret in one is most likely a fetch's that was put into the wrong place. */
function hasUser(address: string | null): boolean {
  const url = address === null ? null : URL.parse(address);
  return url !== null && (url.username !== '' || url.password !== '');
}

/** Keys of an entry that don't go with others, each with why. */
function contradictionsIn(entry: FetchEntry): readonly (readonly [string, string])[] {
  const { carry, optional, columns, pages, unzip, file } = entry;
  const isPaged = pages !== undefined;
  const found: (readonly [string, string])[] = [];
  if (carry && !optional) found.push(['carry', 'only a file that is optional can be carried']);
  if (columns !== undefined && !carry) found.push(['columns', 'only a file with carry is read without rows']);
  if (isPaged && unzip !== undefined) found.push(['unzip', 'an answer in pages is no zip file']);
  if (isPaged && !/\.json$/i.test(file)) found.push(['file', 'pages are joined to a file that ends with .json']);
  return found;
}
