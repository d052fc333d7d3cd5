/**
 * Splits the specification into what can be held by a test, one by one: a sentence of a paragraph or a list item, a row of a
 * table, a line of a block of code. The same text always gives the same list, in the order of the text. A table that a test makes of
 * declarations, as the comment above it says, is held by that test as a whole.
 */
import { lexer, type Token } from 'marked';

/** One sentence, row or line of the specification. */
export interface Rule {
  /** The title of the chapter (level 1 or 2) that it stands in. */
  readonly chapter: string;
  /** The title right above it. */
  readonly section: string;
  /** Its own words on one line: links are their text, the cells of a row are joined by ` · `. */
  readonly text: string;
}

const GENERATED = /^<!-- .+: made by \S+ -->$/;

/** Everything that the specification says, in order. */
export function rulesOf(markdown: string): readonly Rule[] {
  let [chapter, section] = ['', ''];
  return lexer(markdown).flatMap((token, index, tokens) => {
    if (token.type === 'heading') {
      section = token.text;
      if (token.depth <= 2) chapter = section;
    }
    const isGenerated = GENERATED.test(tokens[index - 1]?.raw.trim() ?? '');
    return isGenerated ? [] : textsOf(token).map((text) => ({ chapter, section, text }));
  });
}

function textsOf(token: Token): readonly string[] {
  switch (token.type) {
    case 'table':
      return token.rows.map((row: readonly { readonly text: string }[]) =>
        row.flatMap(({ text }) => plainText(text) || []).join(' · '),
      );
    case 'code':
      return token.text.split('\n').flatMap((line: string) => plainText(line) || []);
    case 'list':
      return token.items.flatMap(({ tokens }: { readonly tokens: readonly Token[] }) => tokens.flatMap(textsOf));
    case 'paragraph':
    case 'text':
      return sentencesOf(plainText(token.text));
    default:
      return [];
  }
}

function plainText(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^()\s]+\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** A sentence ends with a stop before a space and what a sentence begins with; what stands between backticks has no end. */
function sentencesOf(text: string): readonly string[] {
  const shown = text.replaceAll(/`[^`]*`/g, (code) => `\`${'x'.repeat(code.length - 2)}\``);
  const ends = [...shown.matchAll(/(?<!e\.g|i\.e)[.!?][)"*]* (?=[A-Z`"(*\d])/g)].map(
    (end) => end.index + end[0].length,
  );
  const bounds = [0, ...ends, text.length];
  return bounds.slice(1).map((end, index) => text.slice(bounds[index], end).trim());
}
