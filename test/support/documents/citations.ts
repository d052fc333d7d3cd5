/** What the texts of the repository name, and whether it is there. */
import { basename, dirname, join, normalize } from 'node:path';
import { anchorsOf, headingsOf, withoutCodeBlocks } from './markdown.ts';
import type { TextFile } from './text-files.ts';

/** What the checks may ask about the repository. */
export type Repository = Readonly<ReturnType<typeof repositoryOf>>;

/** A repository with these texts. @param exists whether a path from its root is a file or a folder of it */
export function repositoryOf(files: readonly TextFile[], exists: (path: string) => boolean) {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const textOf = (path: string) => texts.get(path) ?? '';
  const paths = [...texts.keys()];
  return {
    exists,
    textOf,
    /** Folders at the top, but for hidden ones. */
    folders: new Set(paths.flatMap((path) => /^([^./][^/]*)\//.exec(path)?.[1] ?? [])),
    titles: new Set(headingsOf(textOf('docs/specification.md'))),
    decisions: new Set(paths.flatMap((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1] ?? [])),
    names: new Set(paths.map((path) => basename(path))),
    targets: new Set([...textOf('Makefile').matchAll(/^([a-z0-9-]+):/gm)].map(([, target = '']) => target)),
  };
}

/** What may stand between two words: white space, and what begins a line of a comment. */
const GAP = String.raw`(?:\s|\n\s*(?:\*|\/\/|#))+`;
const AND = `(?:[,;]|[,;]?${GAP}and)${GAP}`;
/** Titles behind one word: `"A"`, `"A" and "B"`, `"A", "B"`. */
const TITLES = new RegExp(`\\bspecification,?${GAP}("[^"]+"(?:${AND}"[^"]+")*)`, 'gi');
const NUMBERS = new RegExp(`\\bdecisions?${GAP}(\\d{4}(?:${AND}\\d{4})*)`, 'gi');

interface Kind {
  /** In which files such a name counts; default: all. */
  readonly within?: RegExp;
  readonly namesIn: (text: string) => readonly string[];
  readonly isThere: (name: string, repository: Repository, from: string) => boolean;
}

const KINDS = {
  'a title of the specification': {
    namesIn: (text) => matchesIn(text, TITLES).flatMap((list) => matchesIn(list, /"([^"]+)"/g).map(joinLines)),
    isThere: (title, { titles }) => titles.has(title),
  },
  'a decision': {
    namesIn: (text) => matchesIn(text, NUMBERS).flatMap((list) => matchesIn(list, /(\d{4})/g)),
    isThere: (number, { decisions }) => decisions.has(number),
  },
  'a document that the repository does not hold': {
    namesIn: (text) => matchesIn(text, /\b(DESIGN|SPEC|DECISIONS)\b/g),
    isThere: () => false,
  },
  'a link in Markdown': {
    within: /\.md$/,
    namesIn: (text) => {
      const shown = withoutCodeBlocks(text).replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
      return matchesIn(shown, /\[[^\]]*\]\(([^()\s]+)\)/g).filter((target) => !/^[a-z]+:/.test(target));
    },
    isThere: isLinkAlive,
  },
  // Only what begins with a folder at the top is taken for a path, and only without placeholders.
  'a path in backticks': {
    namesIn: (text) => matchesIn(text, /`((?:[\w.-]+\/)+[\w.-]*)`/g),
    isThere: (path, { folders, exists }) => !folders.has(path.slice(0, path.indexOf('/'))) || exists(path),
  },
  'a document by its path': {
    namesIn: (text) => matchesIn(text, /(?<![\w./-])(docs\/[\w/.-]+\.md)\b/g),
    isThere: (path, { exists }) => exists(path),
  },
  'a source file in a comment': {
    within: /\.tsx?$/,
    namesIn: (text) =>
      matchesIn(text, /^(\s*(?:\/?\*|\/\/).*)$/gm).flatMap((comment) =>
        matchesIn(comment, /(?<![\w.*-])([\w-][\w./-]*\.tsx?)\b/g),
      ),
    isThere: (path, { names }) => names.has(basename(path)),
  },
  'a target of make': {
    namesIn: (text) => matchesIn(text, /(?:`|^)make ([a-z0-9-]+)/gm),
    isThere: (target, { targets }) => targets.has(target),
  },
} satisfies Readonly<Record<string, Kind>>;

export type Named = keyof typeof KINDS;
export const NAMED = Object.keys(KINDS) as readonly Named[]; // its own keys

/** What the files name of a kind and is not there, as `file names it`. */
export function findUnknown(kind: Named, files: readonly TextFile[], repository: Repository): readonly string[] {
  const { within = /(?:)/, namesIn, isThere }: Kind = KINDS[kind];
  return files
    .filter(({ path }) => within.test(path))
    .flatMap(({ path, text }) => {
      const unknown = namesIn(text).filter((name) => !isThere(name, repository, path));
      return unknown.map((name) => `${path} names ${name}`);
    });
}

function matchesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

/** A title that runs over the end of a line of a comment, on one line. */
function joinLines(text: string): string {
  return text.replaceAll(/\s*\n\s*(?:\*|\/\/|#)?\s*/g, ' ');
}

function isLinkAlive(target: string, { exists, textOf }: Repository, from: string): boolean {
  const [link = '', anchor] = target.split('#', 2);
  const path = link === '' ? from : normalize(join(dirname(from), decodeURIComponent(link)));
  if (path.startsWith('..') || !exists(path)) return false;
  return anchor === undefined || anchorsOf(textOf(path)).includes(anchor);
}
