import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Rendered, render } from './render.ts';

/** A page of the guide that is shown, in HTML. */
export interface GuidePage extends Rendered {
  readonly name: string;
  /** Its path below the base path. */
  readonly path: string;
}

export interface GuidePages {
  /** In the order of the navigation. */
  readonly parts: readonly { readonly title: string; readonly pages: readonly GuidePage[] }[];
  /** Links to pages that aren't shown; only the text of such a link is. */
  readonly deadLinks: readonly string[];
}

const FOLDER = join(import.meta.dirname, 'pages');

/** Path of the guide below the base path. */
export const GUIDE = '/docs';

/** Reads and renders every page that is shown. Throws where a text is wrong. @param root the base path */
export function readPages(values: PageValues, root: string): GuidePages {
  const shown = PARTS.map(({ title, chapters }) => ({
    title,
    chapters: chapters.filter(({ needs }) => needs === undefined || values.conditions[needs] === true),
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
        const markdown = prepare(readFileSync(join(FOLDER, `${name}.md`), 'utf8'), values);
        return { name, path: pathOf(name), ...render(markdown, resolveFrom(name)) };
      }),
    }))
    .filter(({ pages }) => pages.length > 0);
  return { parts, deadLinks };
}

/** The file of the program that the page `mirror` shows, in `pages/` and below `/docs`. */
export const MIRROR_PROGRAM = 'mirror.py';

export function readMirrorProgram(): string {
  return readFileSync(join(FOLDER, MIRROR_PROGRAM), 'utf8');
}

/** The path of a page below the base path. */
export function pathOf(name: string): string {
  return name === INDEX ? GUIDE : `${GUIDE}/${name}`;
}

/**
 * The target of a link in a page's text: another page as `name.md#anchor`, which works in the repository too; another path of this service
 * as `service:/path`; an anchor of the same page; or a full address.
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
  /** The condition that it needs; see {@link PageValues}. */
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
  { title: 'Start', chapters: [{ name: INDEX }, { name: 'authentication' }, { name: 'limits' }] },
  {
    title: 'Read the data',
    chapters: [{ name: 'records' }, { name: 'lists' }, { name: 'history', needs: 'history' }],
  },
  { title: 'Keep a copy', chapters: [{ name: 'mirror', needs: 'mirror' }, { name: 'sync' }] },
  {
    title: 'Show and notify',
    chapters: [
      { name: 'webhooks', needs: 'webhooks' },
      { name: 'without-a-key', needs: 'embeds' },
      { name: 'agents', needs: 'mcp' },
    ],
  },
  { title: 'Reference', chapters: [{ name: 'routes' }, { name: 'clients' }, { name: 'changelog' }] },
];

/**
 * The program fills in parts of a page's text. In the repository they read as comments or names:
 *
 * - `<!-- if NAME -->` … `<!-- else -->` … `<!-- end -->`: shown only where a capability is live, or with `not` where it isn't;
 * - `<!-- table NAME -->`: a table or a block of code;
 * - `{{NAME}}`: a value.
 *
 * A name that doesn't exist throws, so a wrong page stops the service from starting and the tests from passing.
 */
export interface PageValues {
  /** Whether a condition holds. */
  readonly conditions: Readonly<Record<string, boolean>>;
  readonly values: Readonly<Record<string, string>>;
  /** In Markdown. */
  readonly tables: Readonly<Record<string, string>>;
}

const CONDITION = /^<!-- (if(?: not)? \w+|else|end) -->\n|<!-- (if(?: not)? \w+|else|end) -->/m;

/** Markdown alone: conditions decided, tables and values filled in. */
export function prepare(text: string, { conditions, values, tables }: PageValues): string {
  return decide(text, conditions)
    .replaceAll(/^<!-- table ([\w-]+) -->$/gm, (_, name: string) => get(tables, name, 'table'))
    .replaceAll(/\{\{([\w.-]+)\}\}/g, (_, name: string) => get(values, name, 'value'));
}

function decide(text: string, conditions: PageValues['conditions']): string {
  // Text, a directive on a line of its own or undefined, one within a line or undefined, text, …
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

/** The open conditions after a directive, the innermost last. @param open those before it */
function follow(directive: string, open: readonly boolean[], conditions: PageValues['conditions']): readonly boolean[] {
  if (directive.startsWith('if')) return [...open, holds(directive, conditions)];
  const innermost = open.at(-1);
  if (innermost === undefined) throw new Error(`<!-- ${directive} --> without an if before it`);
  return directive === 'else' ? [...open.slice(0, -1), !innermost] : open.slice(0, -1);
}

function holds(directive: string, conditions: PageValues['conditions']): boolean {
  const [name = '', not] = directive.split(' ').reverse();
  return get(conditions, name, 'condition') !== (not === 'not');
}

function get<T>(all: Readonly<Record<string, T>>, name: string, what: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new Error(`there is no ${what} ${name}`);
  return found;
}
