import { headingsOf } from './markdown.ts';
import type { TextFile } from './text-files.ts';

/** What may stand between two words: white space, and what begins a line of a comment. */
const GAP = String.raw`(?:\s|\n\s*(?:\*|\/\/|#))+`;
const AND = `(?:[,;]|[,;]?${GAP}and)${GAP}`;
/** Titles behind one word: `"A"`, `"A" and "B"`, `"A", "B"`. */
const TITLES = new RegExp(`\\bspecification,?${GAP}("[^"]+"(?:${AND}"[^"]+")*)`, 'gi');
const NUMBERS = new RegExp(`\\bdecisions?${GAP}(\\d{4}(?:${AND}\\d{4})*)`, 'gi');
/** Documents that the repository doesn't hold. */
const OUTSIDE = /\b(DESIGN|SPEC|DECISIONS)\b/g;

/** Titles that are cited and that the specification doesn't have. */
export function findUnknownTitles(files: readonly TextFile[], specification: string): readonly string[] {
  const known = new Set(headingsOf(specification));
  return files.flatMap((file) =>
    citationsIn(file, TITLES, /"([^"]+)"/g)
      .filter(({ cited }) => !known.has(cited))
      .map(({ place, cited }) => `${place} cites specification "${cited}"`),
  );
}

/** Decisions that are cited and of which there is no file. @param names of the files in docs/decisions */
export function findUnknownDecisions(files: readonly TextFile[], names: readonly string[]): readonly string[] {
  const known = new Set(names.map((name) => name.slice(0, 4)));
  return files.flatMap((file) =>
    citationsIn(file, NUMBERS, /(\d{4})/g)
      .filter(({ cited }) => !known.has(cited))
      .map(({ place, cited }) => `${place} cites decision ${cited}`),
  );
}

/** Decisions that the index of docs/decisions doesn't list with their number, file and title. */
export function findMissingInIndex(index: string, files: readonly TextFile[]): readonly string[] {
  return files
    .filter(({ path, text }) => {
      const [, name, number] = /^docs\/decisions\/((\d{4})-[\w-]+\.md)$/.exec(path) ?? [];
      return name !== undefined && !index.includes(`| [${number}](${name}) | ${headingsOf(text)[0]} |`);
    })
    .map(({ path }) => path);
}

/** Citations of documents that the repository doesn't hold. */
export function findOutsideCitations(files: readonly TextFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const words = [...line.matchAll(OUTSIDE)].map(([word]) => word);
      return words.length === 0 ? [] : [`${path}:${index + 1} cites ${words.join(', ')}`];
    }),
  );
}

interface Citation {
  /** `path:line` of its beginning. */
  readonly place: string;
  readonly cited: string;
}

function citationsIn({ path, text }: TextFile, list: RegExp, item: RegExp): readonly Citation[] {
  return [...text.matchAll(list)].flatMap((found) => {
    const place = `${path}:${text.slice(0, found.index).split('\n').length}`;
    return [...(found[1] ?? '').matchAll(item)].map(([, cited = '']) => ({ place, cited: joinLines(cited) }));
  });
}

/** A title that runs over the end of a line of a comment, on one line. */
function joinLines(text: string): string {
  return text.replaceAll(/\s*\n\s*(?:\*|\/\/|#)?\s*/g, ' ');
}
