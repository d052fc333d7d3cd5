import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, type Words } from './prepare.ts';
import { type Rendered, render } from './render.ts';

/** A page of the guide that is there, in HTML. */
export interface GuidePage extends Rendered {
  readonly name: string;
  /** Its path below the base path. */
  readonly path: string;
}

export interface GuidePages {
  /** In the order of the navigation. */
  readonly parts: readonly { readonly title: string; readonly pages: readonly GuidePage[] }[];
  /** Links of the texts that lead to pages which aren't there; only their words are shown. */
  readonly deadLinks: readonly string[];
}

const FOLDER = join(import.meta.dirname, 'pages');

/** Where the guide lies, below the base path. */
export const GUIDE = '/docs';

/** Reads and renders every page that is there. Throws where a text is wrong. @param root the base path */
export function readPages(words: Words, root: string): GuidePages {
  const shown = PARTS.map(({ title, chapters }) => ({
    title,
    chapters: chapters.filter(({ needs }) => needs === undefined || words.conditions[needs] === true),
  }));
  const names = new Set(shown.flatMap(({ chapters }) => chapters.map(({ name }) => name)));
  const deadLinks: string[] = [];
  const resolveFrom = (from: string) => (href: string) => {
    const target = targetOf(href, { root, names });
    if (target === undefined) deadLinks.push(`${from} links to ${href}`);
    return target;
  };
  const parts = shown
    .map(({ title, chapters }) => ({
      title,
      pages: chapters.map(({ name }) => {
        const markdown = prepare(readFileSync(join(FOLDER, `${name}.md`), 'utf8'), words);
        return { name, path: pathOf(name), ...render(markdown, resolveFrom(name)) };
      }),
    }))
    .filter(({ pages }) => pages.length > 0);
  return { parts, deadLinks };
}

/** The path of a page below the base path. */
export function pathOf(name: string): string {
  return name === INDEX ? GUIDE : `${GUIDE}/${name}`;
}

/**
 * Where a link leads that stands in a page's text: another page as `name.md#anchor`, as it is found in the repository; something else
 * of this service as `service:/path`; an anchor of the same page; or an address of its own.
 */
function targetOf(
  href: string,
  { root, names }: { readonly root: string; readonly names: ReadonlySet<string> },
): string | undefined {
  if (href.startsWith('service:')) return root + href.slice('service:'.length);
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return names.has(name) ? root + pathOf(name) + anchor : undefined;
  return /^(#|https:\/\/)/.test(href) ? href : undefined;
}

/** A page of the guide. */
export interface Chapter {
  /** Of its file in `pages/`, without `.md`, and of its address; `index` is the guide's own. */
  readonly name: string;
  /** The condition without which it isn't there; see {@link Words}. */
  readonly needs?: string;
}

export interface Part {
  readonly title: string;
  readonly chapters: readonly Chapter[];
}

/** The name of the page at the guide's root. */
export const INDEX = 'index';

/** Every page, in the order of the navigation. */
export const PARTS: readonly Part[] = [
  { title: 'Begin', chapters: [{ name: INDEX }, { name: 'authentication' }, { name: 'limits' }] },
  {
    title: 'Read the data',
    chapters: [{ name: 'records' }, { name: 'lists' }, { name: 'history', needs: 'history' }],
  },
  { title: 'Keep a copy', chapters: [{ name: 'mirror', needs: 'mirror' }, { name: 'sync' }] },
  {
    title: 'Be told',
    chapters: [
      { name: 'webhooks', needs: 'webhooks' },
      { name: 'without-a-key', needs: 'embeds' },
      { name: 'agents', needs: 'mcp' },
    ],
  },
  { title: 'Look up', chapters: [{ name: 'routes' }, { name: 'clients' }, { name: 'changelog' }] },
];
