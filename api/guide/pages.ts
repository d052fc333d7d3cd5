import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rendered } from './render.ts';

/** A shown page, in HTML. */
export interface GuidePage extends Rendered {
  readonly name: string;
  /** Below the base path. */
  readonly path: string;
}

export interface GuidePages {
  /** In navigation order. */
  readonly parts: readonly { readonly title: string; readonly pages: readonly GuidePage[] }[];
  /** Links to pages that aren't shown: only their text remains. */
  readonly deadLinks: readonly string[];
}

const FOLDER = join(import.meta.dirname, 'pages');

/** Below the base path. */
export const GUIDE = '/docs';

/** Of a search, in characters. */
export const QUERY_LENGTH_MAX = 200;

/** Chapters that are shown. */
export function chaptersOf(conditions: PageValues['conditions']): readonly Chapter[] {
  return PARTS.flatMap(({ chapters }) => chapters).filter((chapter) => isShown(chapter, conditions));
}

function isShown({ needs }: Chapter, conditions: PageValues['conditions']): boolean {
  return needs === undefined || conditions[needs] === true;
}

/** Rejects if a text is wrong. @param root the base path */
export async function readPages(values: PageValues, root: string): Promise<GuidePages> {
  const { render } = await import('./render.ts');
  const shown = PARTS.map(({ title, chapters }) => ({
    title,
    chapters: chapters.filter((chapter) => isShown(chapter, values.conditions)),
  }));
  const names = new Set(chaptersOf(values.conditions).map(({ name }) => name));
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

/** In `pages/` and below `/docs`. */
export const MIRROR_PROGRAM = 'mirror.py';

export function readMirrorProgram(): string {
  return readFileSync(join(FOLDER, MIRROR_PROGRAM), 'utf8');
}

/** Below the base path. */
export function pathOf(name: string): string {
  return name === INDEX ? GUIDE : `${GUIDE}/${name}`;
}

/** @param href `name.md#anchor` of a page, `service:/path`, an anchor of the same page, or a full address */
function targetOf(
  href: string,
  { root, names }: { readonly root: string; readonly names: ReadonlySet<string> },
): string | undefined {
  if (href.startsWith('service:')) return root + href.slice('service:'.length);
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return names.has(name) ? root + pathOf(name) + anchor : undefined;
  return /^(#|https:\/\/)/.test(href) ? href : undefined;
}

export interface Chapter {
  /** Of its file, without `.md`, and in its address; `index` is the guide's root. */
  readonly name: string;
  /** A condition of {@link PageValues}. */
  readonly needs?: string;
}

export interface Part {
  readonly title: string;
  readonly chapters: readonly Chapter[];
}

export const INDEX = 'index';

/** In navigation order. */
export const PARTS: readonly Part[] = [
  { title: 'Start', chapters: [{ name: INDEX }, { name: 'authentication' }, { name: 'limits' }] },
  {
    title: 'Read the data',
    chapters: [
      { name: 'records' },
      { name: 'lists' },
      { name: 'names', needs: 'resolve' },
      { name: 'costs', needs: 'pricing' },
      { name: 'history', needs: 'history' },
      { name: 'exports', needs: 'exports' },
    ],
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
 * What the program fills into pages. An unknown name throws when the pages are rendered.
 *
 * - `<!-- if NAME -->` … `<!-- else -->` … `<!-- end -->`: shown if the condition holds, or with `if not` if it doesn't;
 * - `<!-- table NAME -->`: a table or code;
 * - `{{NAME}}`: a value.
 */
export interface PageValues {
  readonly conditions: Readonly<Record<string, boolean>>;
  readonly values: Readonly<Record<string, string>>;
  /** In Markdown. */
  readonly tables: Readonly<Record<string, string>>;
}

const CONDITION = /^<!-- (if(?: not)? \w+|else|end) -->\n|<!-- (if(?: not)? \w+|else|end) -->/m;

/** Returns plain Markdown. */
export function prepare(text: string, { conditions, values, tables }: PageValues): string {
  return decide(text, conditions)
    .replaceAll(/^<!-- table ([\w-]+) -->$/gm, (_, name: string) => get(tables, name, 'table'))
    .replaceAll(/\{\{([\w.-]+)\}\}/g, (_, name: string) => get(values, name, 'value'));
}

function decide(text: string, conditions: PageValues['conditions']): string {
  // Text, a directive on its own line, one within a line, text …
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

/** The open conditions after a directive, innermost last. */
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

function get<T>(all: Readonly<Record<string, T>>, name: string, kind: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}
