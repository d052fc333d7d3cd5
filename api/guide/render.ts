import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../server/pages/html.tsx';

/** A stretch of a page below one of its headings. */
export interface Section {
  readonly heading: string;
  /** The anchor of the heading. */
  readonly anchor: string;
  /** 1 for the page's own title. */
  readonly depth: number;
  /** What stands there, without marks. */
  readonly text: string;
  /** What stands there in blocks of code. */
  readonly code: string;
}

export interface Rendered {
  readonly html: string;
  readonly title: string;
  readonly sections: readonly Section[];
}

/** Where a link of the text leads: a path, or undefined where there is nothing, of which only the words stay. */
export type ResolveLink = (href: string) => string | undefined;

/**
 * HTML of a page's Markdown. The text is ours, and still nothing of it becomes HTML but by Markdown: tags are refused, comments left out.
 * Headings have anchors as GitHub makes them, so that a link to one leads to the same place there and here.
 */
export function render(markdown: string, resolveLink: ResolveLink): Rendered {
  const anchors = new Anchors();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const anchor = anchors.of(plainText(tokens));
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`;
        const label = escapeHtml(`Link to “${plainText(tokens)}”`);
        return `<h${depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = resolveLink(href);
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table({ header, rows }) {
        const cells = (all: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${all.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`;
        const [head, body] = [cells(header, 'th'), rows.map((row) => cells(row, 'td')).join('')];
        return `<div class="table" tabindex="0">\n<table>\n<thead>${head}</thead>\n<tbody>\n${body}</tbody>\n</table>\n</div>\n`;
      },
      html({ text }) {
        if (/^(\s*<!--[\s\S]*?-->\s*)*$/.test(text)) return '';
        throw new Error(`a page holds HTML: ${text}`);
      },
      image({ href }) {
        throw new Error(`a page holds a picture: ${href}`);
      },
    },
  });
  const parsed = marked.lexer(markdown);
  const html = marked.parser(parsed);
  const sections = sectionsOf(parsed);
  const [first] = sections;
  if (first?.depth !== 1) throw new Error('a page begins with its title');
  return { html, title: first.heading, sections };
}

function sectionsOf(tokens: readonly Token[]): readonly Section[] {
  const anchors = new Anchors();
  const sections: Section[] = [];
  let last: { heading: string; anchor: string; depth: number; text: string; code: string } | undefined;
  for (const token of tokens) {
    if (isHeading(token)) {
      const heading = plainText(token.tokens);
      last = { heading, anchor: anchors.of(heading), depth: token.depth, text: '', code: '' };
      sections.push(last);
    } else if (last !== undefined && token.type === 'code') last.code += `${plainText([token])}\n`;
    else if (last !== undefined && token.type !== 'html') last.text += `${plainText([token])}\n`;
  }
  return sections.map((section) => ({ ...section, text: onOneLine(section.text), code: onOneLine(section.code) }));
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Marked's own type of a token is also that of whatever an extension makes, of which there is none. */
function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** The anchors of a page's headings, as GitHub makes them: one that comes again gets a number. */
class Anchors {
  readonly #seen = new Map<string, number>();

  /** @param heading without marks */
  of(heading: string): string {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = this.#seen.get(anchor) ?? 0;
    this.#seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}

/** What tokens of Markdown say, without marks; what stands in one cell, item or paragraph is parted from the next. */
export function plainText(tokens: readonly Token[]): string {
  return tokens.map(textOf).join('');
}

function textOf(token: Token): string {
  switch (token.type) {
    case 'table': {
      const { header, rows } = token as Tokens.Table; // Marked's type of a token is also that of what extensions make.
      return [header, ...rows].map((row) => row.map(({ tokens }) => plainText(tokens)).join(' · ')).join('\n');
    }
    case 'list':
      return (token as Tokens.List).items.map(({ tokens }) => plainText(tokens)).join('\n'); // As above.
    case 'space':
    case 'html':
      return '\n';
    case 'br':
      return ' ';
    case 'paragraph':
    case 'text':
    case 'link':
    case 'strong':
    case 'em':
      return 'tokens' in token && token.tokens !== undefined ? plainText(token.tokens) : token.text;
    default:
      return 'text' in token ? String(token.text) : '';
  }
}

/** A table in Markdown. @param rows cells in Markdown; a `|` in one is escaped */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** `code` in Markdown. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** 12345 → `12,345`. */
export function wholeNumber(value: number): string {
  return value.toLocaleString('en-US');
}
