import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a zip file to be, and what may be odd about it. */
export interface ZipEntry {
  readonly name: string;
  readonly content: string | Buffer;
  readonly isDeflated?: boolean;
  readonly checksum?: number;
  /** Of the general purpose flags; 1: encrypted, 0x800: the name is UTF-8. */
  readonly flags?: number;
  /** As Unix has it, such as 0o120777 for a link. */
  readonly mode?: number;
}

export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { name, content, isDeflated = true, checksum, flags = 0x800, mode = 0o100644 } of entries) {
    const [bytes, path] = [Buffer.from(content), Buffer.from(name)];
    const body = isDeflated ? deflateRawSync(bytes) : bytes;
    // From the version that is needed to the length of extra fields: both kinds of heads have these.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(isDeflated ? 8 : 0, 4);
    common.writeUInt32LE(checksum ?? crc32(bytes), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(mode * 0x10000, 6);
    rest.writeUInt32LE(offset, 10);
    parts.push(Buffer.from('PK\u0003\u0004'), common, path, body);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0003'), common, rest, path);
    offset += 30 + path.length + body.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\u0005\u0006'), end]);
}
