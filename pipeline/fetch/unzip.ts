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
  /** Relative to the zip file's size; not applied up to {@link RATIO_FREE_BYTES}. */
  readonly ratioMax: number;
}

export interface Unzipped {
  readonly files: number;
  readonly bytes: number;
  /** Of all paths and hashes; see `hashFolder`. */
  readonly sha256: string;
}

const FILES_MAX = 5000;
const RATIO_FREE_BYTES = 64 * 1024 * 1024;

/** Metadata of archivers, and hidden files. */
const LEFT_OUT = /^__MACOSX\/|(?:^|\/)\.[^/]/;

/**
 * Unpacks a zip file into a new folder, without hidden files. Rejects with an `UpstreamFault` where it is cut off,
 * damaged or too large, or has a file that is encrypted, a link, has a wrong checksum, or an invalid or conflicting
 * name.
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
    // Names are checked here, so that a message can name them.
    return await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false });
  } catch {
    throw passingFault('is not a complete zip file');
  }
}

async function unpackAll(zip: ZipFile, folder: string, bytesMax: number): Promise<Unzipped> {
  if (zip.entryCount > FILES_MAX) throw lastingFault(`contains more than ${FILES_MAX} files`);
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

/** Unix file type in the upper half of the attributes. */
const [TYPE_MASK, LINK] = [0o170000, 0o120000];

function assertPlain(entry: Entry, name: string): void {
  if (!isFileName(name)) throw faulty(name, 'is not a valid file name');
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
  readonly path: string;
  readonly budget: Budget;
}

/** Resolves to the file's SHA-256. */
async function unpackOne(zip: ZipFile, entry: Entry, { name, path, budget }: UnpackInput): Promise<string> {
  const damaged = passingFault(`contains ${JSON.stringify(name)}, which is cut off or damaged`);
  const file = await create(name, path);
  try {
    const hash = createHash('sha256');
    let checksum = 0;
    for await (const chunk of contentOf(zip, entry, damaged)) {
      budget.left -= chunk.length;
      if (budget.left < 0) throw lastingFault(`unpacks to more than ${budget.bytesMax} bytes`);
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

/** How disks refuse a name or a duplicate: their rules go beyond the checks here. */
const NAME_REFUSED = new Set(['EEXIST', 'EILSEQ', 'EINVAL', 'EISDIR', 'ENAMETOOLONG', 'ENOTDIR']);

async function create(name: string, path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const code = codeFromError(error);
    throw NAME_REFUSED.has(code) ? faulty(name, `cannot be created here: ${code}`) : error;
  }
}

async function* contentOf(zip: ZipFile, entry: Entry, damaged: UpstreamFault): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk;
  } catch {
    throw damaged;
  }
}

const NAME_CHARACTERS_MAX = 200;
/** Between slashes; the limit of file systems. */
const PART_BYTES_MAX = 255;
const FOLDERS_MAX = 5000;
/** Also matches parts that are empty, `.` or `..`, which lead elsewhere. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is searched.
const ODD_NAME = /[\u0000-\u001f\u007f\\:*?"<>|]|(?:^|\/)\.{0,2}(?:\/|$)/;

/** Whether every file system allows a path; a folder's ends with a slash. */
function isFileName(name: string): boolean {
  const path = name.replace(/\/$/, '');
  if (path.length > NAME_CHARACTERS_MAX || ODD_NAME.test(path)) return false;
  return path.split('/').every((part) => Buffer.byteLength(part) <= PART_BYTES_MAX);
}

/** The names of one zip file; each must be valid and conflict with no other. */
class UnzippedNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /** Returns the problem, if any; a folder's name ends with a slash. */
  add(name: string): string | undefined {
    const spelled = spellingOf(name.replace(/\/$/, ''));
    const isFolder = name.endsWith('/');
    if (!isFolder && this.#files.has(spelled)) return 'appears twice';
    const folders = [...parentsOf(spelled), ...(isFolder ? [spelled] : [])];
    if (folders.some((folder) => this.#files.has(folder))) return 'conflicts with another file';
    for (const folder of folders) this.#folders.add(folder);
    if (this.#folders.size > FOLDERS_MAX) return `exceeds the limit of ${FOLDERS_MAX} folders`;
    if (isFolder) return undefined;
    if (this.#folders.has(spelled)) return 'conflicts with another file';
    this.#files.add(spelled);
    return undefined;
  }
}

/** File systems differ about case and about composed letters. */
function spellingOf(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC');
}

/** From the outermost. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
