import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * What stands in a page's text besides Markdown. All of it is a comment or a word to whoever reads the text in the repository:
 *
 * - `<!-- if NAME -->` … `<!-- else -->` … `<!-- end -->`: what stands there only where a capability is live, or with `not` where it isn't;
 * - `<!-- table NAME -->`: a table that is made of what the program knows;
 * - `{{NAME}}`: a value that the program knows.
 *
 * Each throws where there is no such name, so that a page that is wrong keeps the service from starting, and every test from passing.
 */

export interface Words {
  /** Whether what a condition names is there. */
  readonly conditions: Readonly<Record<string, boolean>>;
  readonly values: Readonly<Record<string, string>>;
  /** In Markdown. */
  readonly tables: Readonly<Record<string, string>>;
}

const CONDITION = /^<!-- (if(?: not)? \w+|else|end) -->\n|<!-- (if(?: not)? \w+|else|end) -->/m;

/** Markdown alone: conditions decided, tables and values filled in. */
export function prepare(text: string, words: Words): string {
  return decide(text, words.conditions)
    .replaceAll(/^<!-- table ([\w-]+) -->$/gm, (_, name: string) => get(words.tables, name, 'table'))
    .replaceAll(/\{\{([\w.-]+)\}\}/g, (_, name: string) => get(words.values, name, 'value'));
}

function decide(text: string, conditions: Words['conditions']): string {
  // Text, what a directive on a line of its own says, what one within a line says, text, …
  const parts = text.split(new RegExp(CONDITION, 'gm'));
  let open: readonly boolean[] = [];
  let decided = '';
  for (let at = 0; at < parts.length; at += 3) {
    if (!open.includes(false)) decided += parts[at];
    const directive = parts[at + 1] ?? parts[at + 2];
    if (directive !== undefined) open = follow(directive, open, conditions);
  }
  if (open.length > 0) throw new Error('an <!-- if --> has no <!-- end -->');
  return decided;
}

/** What is open behind a directive, the innermost last; `open` is what is before it. */
function follow(directive: string, open: readonly boolean[], conditions: Words['conditions']): readonly boolean[] {
  if (directive.startsWith('if')) return [...open, holds(directive, conditions)];
  const innermost = open.at(-1);
  if (innermost === undefined) throw new Error(`<!-- ${directive} --> without an if before it`);
  return directive === 'else' ? [...open.slice(0, -1), !innermost] : open.slice(0, -1);
}

function holds(directive: string, conditions: Words['conditions']): boolean {
  const [name = '', not] = directive.split(' ').reverse();
  return get(conditions, name, 'condition') !== (not === 'not');
}

function get<T>(all: Readonly<Record<string, T>>, name: string, what: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new Error(`there is no ${what} ${name}`);
  return found;
}
