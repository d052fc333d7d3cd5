/**
 * Splits the specification into what can be held by a test, one by one: a sentence of a paragraph or a list item, a row of a
 * table, a line of a block of code. The same text always gives the same list, in the order of the text. A table that a test makes of
 * declarations, as the comment above it says, is held by that test as a whole.
 */

/** One sentence, row or line of the specification. */
export interface Rule {
  /** The title of the chapter (level 1 or 2) that it stands in. */
  readonly chapter: string;
  /** The title right above it. */
  readonly section: string;
  /** Its own words on one line: links are their text, the cells of a row are joined by ` · `. */
  readonly text: string;
}

/** Everything that the specification says, in order. */
export function rulesOf(markdown: string): readonly Rule[] {
  let [chapter, section] = ['', ''];
  return blocksOf(markdown).flatMap((block) => {
    if (block.kind !== 'heading') return textsOf(block).map((text) => ({ chapter, section, text }));
    section = block.lines.join(' ').replace(/^#+ +/, '');
    if (/^#{1,2} /.test(block.lines[0] ?? '')) chapter = section;
    return [];
  });
}

type BlockKind = 'heading' | 'table' | 'code' | 'text' | 'generated';

interface Block {
  readonly kind: BlockKind;
  readonly lines: readonly string[];
}

const ITEM = /^ *(?:[-*]|\d+\.) /;
const FENCE = /^ *```/;
const GENERATED = /^<!-- .+: made by \S+ -->$/;

function blocksOf(markdown: string): readonly Block[] {
  const blocks: { kind: BlockKind; lines: string[] }[] = [];
  let before: BlockKind | undefined;
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode;
    const kind = isCode ? 'code' : kindOf(line, before);
    const isGoingOn = kind === before && kind !== 'heading' && (kind === 'code' || !ITEM.test(line));
    if (isGoingOn) blocks.at(-1)?.lines.push(line);
    else if (kind !== undefined) blocks.push({ kind, lines: [line] });
    before = kind;
  }
  return blocks;
}

/** What a line outside of code is part of; undefined where it is empty, or ends a block of code. */
function kindOf(line: string, before: BlockKind | undefined): BlockKind | undefined {
  if (line.trim() === '' || FENCE.test(line)) return undefined;
  if (GENERATED.test(line) || (before === 'generated' && line.startsWith('|'))) return 'generated';
  if (/^#{1,6} /.test(line)) return 'heading';
  return line.startsWith('|') ? 'table' : 'text';
}

function textsOf({ kind, lines }: Block): readonly string[] {
  if (kind === 'generated') return [];
  if (kind === 'table') return lines.slice(2).map(rowText);
  if (kind === 'code')
    return lines
      .slice(1)
      .map(plainText)
      .filter((line) => line !== '');
  return sentencesOf(plainText(lines.join(' ').replace(ITEM, '')));
}

/** A row of a table: the head and the line under it are none. */
function rowText(line: string): string {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  return cells
    .map((cell) => plainText(cell.replaceAll('\\|', '|')))
    .filter((cell) => cell !== '')
    .join(' · ');
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
