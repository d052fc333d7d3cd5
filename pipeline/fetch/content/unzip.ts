import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { hashOfFiles } from '../day/whole-files.ts';
import { lastingFault, passingFault, UpstreamFault } from '../http/upstream-fault.ts';

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
 * or damaged, has a file whose checksum is wrong, that is encrypted, a link, stands twice or would lie elsewhere, or becomes too much.
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
    return await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true });
  } catch {
    throw passingFault('is no whole zip file');
  }
}

async function unpackAll(zip: ZipFile, folder: string, bytesMax: number): Promise<Unzipped> {
  if (zip.entryCount > FILES_MAX) throw lastingFault(`holds more than ${FILES_MAX} files`);
  const files = new Map<string, string>();
  const names = new Set<string>();
  const budget = { left: bytesMax, bytesMax };
  for await (const entry of entriesOf(zip)) {
    assertPlain(entry);
    if (entry.fileName.endsWith('/') || LEFT_OUT.test(entry.fileName)) continue;
    // Systems differ about capitals.
    const name = entry.fileName.toLowerCase();
    if (names.has(name)) throw faulty(entry, 'stands twice');
    names.add(name);
    files.set(entry.fileName, await unpackOne(zip, entry, { path: join(folder, entry.fileName), budget }));
  }
  if (files.size === 0) throw passingFault('is a zip file without files');
  return { files: files.size, bytes: bytesMax - budget.left, sha256: hashOfFiles(files) };
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    if (error instanceof UpstreamFault) throw error;
    throw passingFault('is a damaged zip file, or names a file in an odd way');
  }
}

/** File type in the upper half of the attributes, as Unix has it. */
const [TYPE_MASK, LINK] = [0o170000, 0o120000];

const NAME_CHARACTERS_MAX = 200;
/** What no file is called on every system; that it leads upwards or begins at the root is refused by the reader of zip files. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const ODD_NAME = /[\u0000-\u001f\u007f\\:*?"<>|]|(?:^|\/)\.{0,2}(?:\/.|$)/;

function assertPlain(entry: Entry): void {
  const { fileName, externalFileAttributes } = entry;
  const name = fileName.replace(/\/$/, '');
  if (name.length > NAME_CHARACTERS_MAX || ODD_NAME.test(name)) throw faulty(entry, 'is no name for a file');
  if (entry.isEncrypted()) throw faulty(entry, 'is encrypted');
  if (((externalFileAttributes >>> 16) & TYPE_MASK) === LINK) throw faulty(entry, 'is a link');
}

function faulty({ fileName }: Entry, problem: string): UpstreamFault {
  return lastingFault(`${JSON.stringify(fileName.slice(0, 200))} in it ${problem}`);
}

interface Budget {
  left: number;
  readonly bytesMax: number;
}

/** Resolves to the file's SHA-256. */
async function unpackOne(
  zip: ZipFile,
  entry: Entry,
  { path, budget }: { readonly path: string; readonly budget: Budget },
): Promise<string> {
  const damaged = passingFault(`holds ${JSON.stringify(entry.fileName)}, which is cut off or damaged`);
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'w', 0o600);
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

/** What a file in a zip file holds; ends with the fault where that can't be read. */
async function* contentOf(zip: ZipFile, entry: Entry, damaged: UpstreamFault): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk;
  } catch {
    throw damaged;
  }
}
