import { readGzip } from '../../../storage/hash.ts';
import { lastingFault, passingFault, UpstreamFault } from '../http/upstream-fault.ts';

/**
 * Rejects with an `UpstreamFault` where a gzip file, which is kept as it is, is not whole, or becomes more than so many bytes: what
 * reads it in the night has no limit of its own.
 */
export async function assertUnpackedSize(path: string, bytesMax: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const block of readGzip(path)) {
      bytes += block.length;
      if (bytes > bytesMax) throw lastingFault(`unpacks to more than ${bytesMax} bytes (MODELSTATS_FETCH_BYTES_MAX)`);
    }
  } catch (error) {
    if (error instanceof UpstreamFault) throw error;
    throw passingFault('is no whole gzip file');
  }
}
