import type { DatasetFile } from '../../schemas/manifest.ts';
import { hashFile, readBlocks } from '../../storage/hash.ts';

/** What a manifest says of a compressed file that isn't so. */
export async function findPackedProblems(file: DatasetFile, path: string): Promise<readonly string[]> {
  const { bytes, sha256 } = await hashFile(path);
  if (bytes === file.bytes && sha256 === file.sha256) return [];
  return [`${file.name}: the manifest's size or sha256 is not the file's`];
}

/** What a manifest says of a file's lines that isn't so of these. */
export async function findContentProblems(file: DatasetFile, path: string, what: string): Promise<readonly string[]> {
  const { bytes, sha256 } = await hashFile(path);
  if (bytes !== file.content_bytes || sha256 !== file.content_sha256) {
    return [`${file.name}: ${what} does not give the recorded content (sha256 ${sha256})`];
  }
  const records = await countLines(path);
  return records === file.records ? [] : [`${file.name}: ${what} has ${records} records, recorded are ${file.records}`];
}

const NEWLINE = 0x0a;

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const block of readBlocks(path)) {
    for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) lines += 1;
  }
  return lines;
}
