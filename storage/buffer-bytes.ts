/** Smaller: more calls for a file whose size is told wrong, as of one that grows. */
const BUFFER_BYTES_MIN = 4096;

/**
 * How large a buffer for reading a file has to be: as large as the file, up to `bytesMax`. A buffer of a megabyte for each of a
 * night's two hundred small files would make the garbage collector run a dozen times for nothing.
 */
export function bufferBytes(fileBytes: number, bytesMax: number): number {
  return Math.min(bytesMax, Math.max(BUFFER_BYTES_MIN, fileBytes));
}
