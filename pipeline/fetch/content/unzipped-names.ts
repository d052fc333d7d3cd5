/** The names of files in a zip file: what may be one on every system, and that no two are in each other's way. */

const NAME_CHARACTERS_MAX = 200;
/** Of one part, between slashes: what file systems take. */
const PART_BYTES_MAX = 255;
const FOLDERS_MAX = 5000;
/** Also a part that is empty, `.` or `..`: such a name leads elsewhere. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const ODD_NAME = /[\u0000-\u001f\u007f\\:*?"<>|]|(?:^|\/)\.{0,2}(?:\/|$)/;

/** Whether a path, that of a folder with a slash at its end, can be a file's on every system. */
export function isFileName(name: string): boolean {
  const path = name.replace(/\/$/, '');
  if (path.length > NAME_CHARACTERS_MAX || ODD_NAME.test(path)) return false;
  return path.split('/').every((part) => Buffer.byteLength(part) <= PART_BYTES_MAX);
}

/** The names of one zip file so far; each is one by {@link isFileName}. */
export class UnzippedNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /** Adds a name, that of a folder with a slash at its end; returns what is wrong with it, if anything. */
  add(name: string): string | undefined {
    const spelled = spellingOf(name.replace(/\/$/, ''));
    const isFolder = name.endsWith('/');
    if (!isFolder && this.#files.has(spelled)) return 'stands twice';
    const folders = [...parentsOf(spelled), ...(isFolder ? [spelled] : [])];
    if (folders.some((folder) => this.#files.has(folder))) return 'is in the way of another file';
    for (const folder of folders) this.#folders.add(folder);
    if (this.#folders.size > FOLDERS_MAX) return `is in one folder too many: at most ${FOLDERS_MAX} are unpacked`;
    if (isFolder) return undefined;
    if (this.#folders.has(spelled)) return 'is in the way of another file';
    this.#files.add(spelled);
    return undefined;
  }
}

/** Systems differ about capitals, and about letters that can be written as one character or two. */
function spellingOf(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC');
}

/** The folders of a path, from the outermost. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
