import { Marked, type Token, type TokenizerAndRendererExtension, type Tokens } from 'marked';
import { escapeHtml } from '../server/pages/html.tsx';
import { highlight } from './highlight.ts';

export interface Section {
  readonly heading: string;
  readonly anchor: string;
  /** 1 for the title. */
  readonly depth: number;
  /** Plain. */
  readonly text: string;
  readonly code: string;
}

export interface Rendered {
  readonly html: string;
  readonly title: string;
  readonly sections: readonly Section[];
}

/** Undefined if the page isn't shown: only the link's text remains. */
export type ResolveLink = (href: string) => string | undefined;

/**
 * Renders Markdown to HTML: tags are refused, comments omitted, code highlighted and put into tabs (see {@link tabsExtension}). Anchors
 * of headings are GitHub's, so that links also work in the repository.
 */
export function render(markdown: string, resolveLink: ResolveLink): Rendered {
  const anchors = new Anchors();
  const marked = new Marked({
    gfm: true,
    extensions: [tabsExtension()],
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
      code: (token) => codeBlock(token),
      table({ header, rows }) {
        const cells = (all: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${all.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`;
        const [head, body] = [cells(header, 'th'), rows.map((row) => cells(row, 'td')).join('')];
        return `<div class="table" tabindex="0">\n<table>\n<thead>${head}</thead>\n<tbody>\n${body}</tbody>\n</table>\n</div>\n`;
      },
      html({ text }) {
        if (/^(\s*<!--[\s\S]*?-->\s*)*$/.test(text)) return '';
        throw new Error(`a page must not contain HTML: ${text}`);
      },
      image({ href }) {
        throw new Error(`a page must not contain a picture: ${href}`);
      },
    },
  });
  const parsed = marked.lexer(markdown);
  const html = marked.parser(parsed);
  const sections = sectionsOf(parsed);
  const [first] = sections;
  if (first?.depth !== 1) throw new Error('a page must start with its title');
  return { html, title: first.heading, sections };
}

/** `copy-code.js` adds buttons to `.code`: code in a language, not output. */
function codeBlock({ text, lang = '' }: Tokens.Code): string {
  const block = `<pre tabindex="0"><code>${highlight(text, lang)}</code></pre>`;
  return lang === '' || lang === 'text' ? `${block}\n` : `<div class="code">${block}</div>\n`;
}

/** The style sheet has a rule per tab. */
const TABS_MAX = 4;

/** Default labels by language. */
const TAB_LABELS: Readonly<Record<string, string>> = { sh: 'curl', python: 'Python', ts: 'TypeScript' };

interface Tab {
  readonly label: string;
  readonly block: Tokens.Code;
}

/**
 * `<!-- tabs -->` or, with labels, `<!-- tabs: DuckDB, SQLite -->`, up to `<!-- end tabs -->`. Radio buttons work without a script and by
 * keyboard; in print all blocks are shown with labels.
 */
function tabsExtension(): TokenizerAndRendererExtension {
  let count = 0;
  return {
    name: 'tabs',
    level: 'block',
    start: (source) => /^<!-- tabs/m.exec(source)?.index,
    tokenizer(source) {
      const [raw, labels, inner] = /^<!-- tabs(?:: (.+?))? -->\n([\s\S]*?)<!-- end tabs -->(?:\n|$)/.exec(source) ?? [];
      if (raw === undefined || inner === undefined) return undefined;
      return { type: 'tabs', raw, labels: labels?.split(', '), tokens: this.lexer.blockTokens(inner, []) };
    },
    renderer({ labels, tokens = [] }) {
      count += 1;
      return renderTabs(tabsOf(tokens.filter(isCode), labels), `tabs-${count}`);
    },
  };
}

function tabsOf(blocks: readonly Tokens.Code[], labels: readonly string[] | undefined): readonly Tab[] {
  if (blocks.length < 2 || blocks.length > TABS_MAX) throw new Error(`tabs need 2 to ${TABS_MAX} blocks of code`);
  return blocks.map((block, index) => {
    const label = labels === undefined ? TAB_LABELS[block.lang ?? ''] : labels[index];
    if (label === undefined) throw new Error(`a tab has no label: ${block.lang}`);
    return { label, block };
  });
}

/** @param name of the radio buttons */
function renderTabs(tabs: readonly Tab[], name: string): string {
  const buttons = tabs.map(({ label }, index) => {
    const id = `${name}-${index + 1}`;
    return `<input type="radio" name="${name}" id="${id}"${index === 0 ? ' checked' : ''}><label for="${id}">${escapeHtml(label)}</label>`;
  });
  const panels = tabs.map(
    ({ label, block }) => `<div class="panel"><p class="language">${escapeHtml(label)}</p>${codeBlock(block)}</div>`,
  );
  return `<fieldset class="tabs"><legend class="unseen">Example for</legend>\n${buttons.join('\n')}\n${panels.join('\n')}\n</fieldset>\n`;
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
    } else if (last !== undefined && (token.type === 'code' || token.type === 'tabs'))
      last.code += `${plainText([token])}\n`;
    else if (last !== undefined && token.type !== 'html') last.text += `${plainText([token])}\n`;
  }
  return sections.map((section) => ({ ...section, text: onOneLine(section.text), code: onOneLine(section.code) }));
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Marked's types don't exclude an extension's tokens. */
function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** As above. */
function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code';
}

/** GitHub's anchors of a page's headings: repeated ones get a number. */
class Anchors {
  readonly #counts = new Map<string, number>();

  /** @param heading plain text */
  of(heading: string): string {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = this.#counts.get(anchor) ?? 0;
    this.#counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}

export function plainText(tokens: readonly Token[]): string {
  return tokens.map(textOf).join('');
}

function textOf(token: Token): string {
  switch (token.type) {
    case 'table': {
      const { header, rows } = token as Tokens.Table; // As above.
      return [header, ...rows].map((row) => row.map(({ tokens }) => plainText(tokens)).join(' · ')).join('\n');
    }
    case 'list':
      return (token as Tokens.List).items.map(({ tokens }) => plainText(tokens)).join('\n'); // As above.
    case 'tabs':
      return (token.tokens ?? [])
        .filter(isCode)
        .map(({ text }) => text)
        .join('\n');
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
