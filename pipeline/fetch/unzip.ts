import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { codeFromError } from '../../runtime/errors.ts';
import { hashOfFiles } from '../source/fetch-record.ts';
import { lastingFault, passingFault, UpstreamFault } from './upstream-fault.ts';

export interface UnzipLimits {
  /** All files together, unpacked. */
  readonly bytesMax: number;
  /** How many times the size of the zip file they may have together; free up to {@link RATIO_FREE_BYTES}. */
  readonly ratioMax: number;
}

export interface Unzipped {
  readonly files: number;
  readonly bytes: number;
  /** Of all paths and hashes; see `hashFolder`. */
  readonly sha256: string;
}

/** Files of one zip file. */
const FILES_MAX = 5000;
/** Up to this size the ratio doesn't matter. */
const RATIO_FREE_BYTES = 64 * 1024 * 1024;

/** What programs leave beside the files: their own notes, and whatever is hidden. */
const LEFT_OUT = /^__MACOSX\/|(?:^|\/)\.[^/]/;

/**
 * Unpacks a zip file into a folder, which is made; hidden files are left out. Rejects with an `UpstreamFault` for one that is cut off
 * or damaged, has a file whose checksum is wrong, that is encrypted or a link, whose name can't be used or is in the way of another,
 * or becomes too much.
 */
export async function unzip(path: string, folder: string, limits: UnzipLimits): Promise<Unzipped> {
  const zip = await openZip(path);
  try {
    return await unpackAll(
      zip,
      folder,
      Math.min(limits.bytesMax, Math.max(RATIO_FREE_BYTES, zip.fileSize * limits.ratioMax)),
    );
  } finally {
    zip.close();
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    // Names are read and judged here, so that a problem can say which.
    return await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false });
  } catch {
    throw passingFault('is no whole zip file');
  }
}

async function unpackAll(zip: ZipFile, folder: string, bytesMax: number): Promise<Unzipped> {
  if (zip.entryCount > FILES_MAX) throw lastingFault(`holds more than ${FILES_MAX} files`);
  const files = new Map<string, string>();
  const names = new UnzippedNames();
  const budget = { left: bytesMax, bytesMax };
  await mkdir(folder, { recursive: true });
  for await (const entry of entriesOf(zip)) {
    const name = nameOf(entry);
    assertPlain(entry, name);
    if (LEFT_OUT.test(name)) continue;
    const problem = names.add(name);
    if (problem !== undefined) throw faulty(name, problem);
    if (name.endsWith('/')) continue;
    files.set(name, await unpackOne(zip, entry, { name, path: join(folder, name), budget }));
  }
  if (files.size === 0) throw passingFault('is a zip file without files');
  return { files: files.size, bytes: bytesMax - budget.left, sha256: hashOfFiles(files) };
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    if (error instanceof UpstreamFault) throw error;
    throw passingFault('is a damaged zip file');
  }
}

function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
}

/** File type in the upper half of the attributes, as Unix has it. */
const [TYPE_MASK, LINK] = [0o170000, 0o120000];

function assertPlain(entry: Entry, name: string): void {
  if (!isFileName(name)) throw faulty(name, 'is no name for a file');
  if (entry.isEncrypted()) throw faulty(name, 'is encrypted');
  if (((entry.externalFileAttributes >>> 16) & TYPE_MASK) === LINK) throw faulty(name, 'is a link');
}

function faulty(name: string, problem: string): UpstreamFault {
  return lastingFault(`${JSON.stringify(name.slice(0, 200))} in it ${problem}`);
}

interface Budget {
  left: number;
  readonly bytesMax: number;
}

interface UnpackInput {
  readonly name: string;
  /** Where the file is put. */
  readonly path: string;
  readonly budget: Budget;
}

/** Resolves to the file's SHA-256. */
async function unpackOne(zip: ZipFile, entry: Entry, { name, path, budget }: UnpackInput): Promise<string> {
  const damaged = passingFault(`holds ${JSON.stringify(name)}, which is cut off or damaged`);
  const file = await create(name, path);
  try {
    const hash = createHash('sha256');
    let checksum = 0;
    for await (const chunk of contentOf(zip, entry, damaged)) {
      budget.left -= chunk.length;
      if (budget.left < 0) throw lastingFault(`becomes more than ${budget.bytesMax} bytes`);
      hash.update(chunk);
      checksum = crc32(chunk, checksum);
      await file.writeFile(chunk);
    }
    if (checksum !== entry.crc32) throw damaged;
    await file.sync();
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/** What a disk says where it can't have a name, or has one for two: it knows more about its names than is checked before. */
const NAME_REFUSED = new Set(['EEXIST', 'EILSEQ', 'EINVAL', 'EISDIR', 'ENAMETOOLONG', 'ENOTDIR']);

async function create(name: string, path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const code = codeFromError(error);
    throw NAME_REFUSED.has(code) ? faulty(name, `can not be a file here: ${code}`) : error;
  }
}

/** What a file in a zip file holds; ends with the fault where that can't be read. */
async function* contentOf(zip: ZipFile, entry: Entry, damaged: UpstreamFault): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk;
  } catch {
    throw damaged;
  }
}

const NAME_CHARACTERS_MAX = 200;
/** Of one part, between slashes: what file systems take. */
const PART_BYTES_MAX = 255;
const FOLDERS_MAX = 5000;
/** Also a part that is empty, `.` or `..`: such a name leads elsewhere. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const ODD_NAME = /[\u0000-\u001f\u007f\\:*?"<>|]|(?:^|\/)\.{0,2}(?:\/|$)/;

/** Whether a path, that of a folder with a slash at its end, can be a file's on every system. */
function isFileName(name: string): boolean {
  const path = name.replace(/\/$/, '');
  if (path.length > NAME_CHARACTERS_MAX || ODD_NAME.test(path)) return false;
  return path.split('/').every((part) => Buffer.byteLength(part) <= PART_BYTES_MAX);
}

/**
 * The names of files in a zip file: what may be one on every system, and that no two are in each other's way.
 *
 * The names of one zip file so far; each is one by {@link isFileName}.
 */
class UnzippedNames {
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
