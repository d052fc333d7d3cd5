/** The titles of a Markdown text, in order; what stands in a block of code is none. */
export function headingsOf(markdown: string): readonly string[] {
  return withoutCodeBlocks(markdown)
    .split('\n')
    .flatMap((line) => /^#{1,6} +(.+?) *#*$/.exec(line)?.[1] ?? []);
}

/** The anchors of a text's titles, as GitHub makes them: a title that comes again gets a number. */
export function anchorsOf(markdown: string): readonly string[] {
  const seen = new Map<string, number>();
  return headingsOf(markdown).map((heading) => {
    const anchor = anchorFromHeading(heading);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function anchorFromHeading(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Blocks of code become empty lines, so that lines keep their numbers. */
export function withoutCodeBlocks(markdown: string): string {
  return markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ''));
}

/** The body of a section, up to the next title of its level or a higher one; undefined where there is no such title. */
export function sectionOf(markdown: string, heading: string): string | undefined {
  const lines = withoutCodeBlocks(markdown).split('\n');
  const start = lines.findIndex((line) => /^#{1,6} /.test(line) && line.replace(/^#+ +/, '') === heading);
  if (start === -1) return undefined;
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0;
  const isNext = (line: string) => (/^#+(?= )/.exec(line)?.[0].length ?? Number.POSITIVE_INFINITY) <= level;
  const length = lines.slice(start + 1).findIndex(isNext);
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
}

/** The cells of every row of the tables in a text, without the lines under the heads. */
export function tableRowsOf(markdown: string): readonly (readonly string[])[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[ :|-]+\|$/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
