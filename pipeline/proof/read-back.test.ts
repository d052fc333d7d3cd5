import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../storage/hash.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { OWN_THREAD_BYTES_MIN, readBackInThread } from './read-back.ts';

const OLD = '{"id":"a","value":1}\n{"id":"b","value":1}\n';
const NEW = '{"id":"a","value":1}\n{"id":"b","value":2}\n';
const EVENTS = '{"id":"b",\t{"id":"b","value":2}\n';

const folder = useFolder();

async function orderOf(events: string, packed = gzipSync(NEW)) {
  const place = { path: folder('new.gz'), before: folder('old.gz'), events: folder('events') };
  await writeFile(place.path, packed);
  await writeFile(place.before, gzipSync(OLD));
  await writeFile(place.events, events);
  return { ...place, key: ['id'], isRenewed: false };
}

describe.each([
  ['a small file, in the thread that asks', 0],
  ['a large file, in a thread of its own', OWN_THREAD_BYTES_MIN],
])('%s', (_, bytes) => {
  test('is told with the size and hash of both sides', async () => {
    const read = await readBackInThread(await orderOf(EVENTS), bytes);
    expect(read.fault).toBeUndefined();
    expect(read.content).toEqual({ bytes: NEW.length, sha256: sha256(NEW) });
    expect(read.compressed).toEqual({ bytes: gzipSync(NEW).length, sha256: sha256(gzipSync(NEW)) });
  });

  test('that does not follow is told with the line', async () => {
    const { fault } = await readBackInThread(await orderOf(''), bytes);
    expect(fault).toContain('no event explains {"id":"b","value":2}');
  });

  test('that is cut off rejects', async () => {
    const order = await orderOf(EVENTS, gzipSync(NEW).subarray(0, 30));
    await expect(readBackInThread(order, bytes)).rejects.toMatchObject({ code: 'Z_BUF_ERROR' });
  });

  test('that is gone rejects', async () => {
    const order = { ...(await orderOf(EVENTS)), path: folder('gone.gz') };
    await expect(readBackInThread(order, bytes)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
