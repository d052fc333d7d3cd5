import type { Token, Tokens } from 'marked';

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
