import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { anchorsOf, withoutCodeBlocks } from './markdown.ts';
import { listFolders, ROOT, type TextFile } from './text-files.ts';

/** What the checks may ask about the repository. */
export interface Repository {
  /** True for a file or folder; `path` is relative to the root. */
  readonly exists: (path: string) => boolean;
  /** The text of a Markdown file; undefined where there is none. */
  readonly markdownOf: (path: string) => string | undefined;
  /** Folders at the top. */
  readonly folders: readonly string[];
}

/** This repository, with what was read of it already. */
export function repositoryOf(files: readonly TextFile[]): Repository {
  const markdown = new Map(files.filter(({ path }) => path.endsWith('.md')).map(({ path, text }) => [path, text]));
  return {
    exists: (path) => existsSync(join(ROOT, path)),
    markdownOf: (path) => markdown.get(path),
    folders: listFolders(),
  };
}

/** Links to files or titles of the repository that lead nowhere; links to other places are not followed. */
export function findBrokenLinks(files: readonly TextFile[], repository: Repository): readonly string[] {
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap((file) => {
      const text = withoutCodeBlocks(file.text).replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
      return [...text.matchAll(/\[[^\]]*\]\(([^()\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !isLinkAlive(file.path, target, repository))
        .map((target) => `${file.path} links to ${target}`);
    });
}

function isLinkAlive(from: string, target: string, { exists, markdownOf }: Repository): boolean {
  const [link = '', anchor] = target.split('#', 2);
  const path = link === '' ? from : normalize(join(dirname(from), decodeURIComponent(link)));
  if (path.startsWith('..') || !exists(path)) return false;
  return anchor === undefined || anchorsOf(markdownOf(path) ?? '').includes(anchor);
}

/**
 * Paths that a text names between backticks and that don't exist. Only what begins with a folder at the top is taken for one, and
 * only without placeholders.
 */
export function findUnknownPaths(files: readonly TextFile[], { exists, folders }: Repository): readonly string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => folders.includes(path.slice(0, path.indexOf('/'))) && !exists(path))
      .map((path) => `${file.path} names ${path}`),
  );
}

/** Documents that comments and texts name by their path, such as docs/accounts.md, and that don't exist. */
export function findUnknownDocuments(files: readonly TextFile[], { exists }: Repository): readonly string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w./-])docs\/[\w/.-]+\.md\b/g)]
      .map(([named]) => named)
      .filter((named) => !exists(named))
      .map((named) => `${path} names ${named}`),
  );
}

/** Source files that a comment names and that are nowhere. */
export function findUnknownSources(files: readonly TextFile[]): readonly string[] {
  const names = new Set(files.map(({ path }) => basename(path)));
  return files
    .filter(({ path }) => /\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^\s*(?:\/?\*|\/\/).*$/gm)]
        .flatMap(([comment]) => [...comment.matchAll(/(?<![\w.*-])[\w-][\w./-]*\.tsx?\b/g)])
        .filter(([named]) => !names.has(basename(named)))
        .map(([named]) => `${path} names ${named}`),
    );
}

/** `make` targets that a text tells people to use and that the Makefile doesn't have. */
export function findUnknownTargets(files: readonly TextFile[], makefile: string): readonly string[] {
  const targets = new Set([...makefile.matchAll(/^([a-z0-9-]+):/gm)].map(([, target]) => target));
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/`make ([a-z0-9-]+)|^make ([a-z0-9-]+)/gm)]
      .map(([, inline, line]) => inline ?? line ?? '')
      .filter((target) => !targets.has(target))
      .map((target) => `${path} names make ${target}`),
  );
}

/** Documents of docs/ that the README doesn't link; decisions have an index of their own. */
export function findUnlinked(readme: string, files: readonly TextFile[]): readonly string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => /^docs\/[\w-]+\.md$/.test(path) && !readme.includes(`](${path})`));
}

/** Folders of code that the README's map doesn't show, and lines of it whose folder doesn't exist. */
export function findMapFaults(readme: string, { folders }: Repository, others: readonly string[]): readonly string[] {
  const mapped = [...readme.matchAll(/^([a-z]+)\/ {2,}/gm)].map(([, name = '']) => name);
  return [
    ...mapped.filter((name) => !folders.includes(name)).map((name) => `the map shows ${name}/, which doesn't exist`),
    ...folders
      .filter((name) => !mapped.includes(name) && !others.includes(name))
      .map((name) => `the map doesn't show ${name}/`),
  ];
}
