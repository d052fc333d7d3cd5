/**
 * Measures the processor time of each test file, and fails a file that takes more than its suite allows: what takes long by nature belongs
 * to `make test-long`. Processor time, since a busy machine changes the time on the wall.
 */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, inject } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: the processor time that it took, with the processes it started. */
    processorSeconds?: number;
  }
  interface ProvidedContext {
    /** What one file of the suite may take; no limit where it isn't there. */
    processorSecondsMax?: number;
  }
}

const OWN_TIMES = '/proc/self/stat';
/** `utime`, `stime`, `cutime` and `cstime` in proc(5), counted behind the command's name. */
const TIMES = [11, 15] as const;
/** USER_HZ, the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time of this process, on Linux with the children that have ended. */
function processorSeconds(): number {
  if (!existsSync(OWN_TIMES)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const stat = readFileSync(OWN_TIMES, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(...TIMES).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

const before = processorSeconds();

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures a hook wants
afterAll(({}, file) => {
  const took = processorSeconds() - before;
  file.meta.processorSeconds = took;
  const max = inject('processorSecondsMax');
  if (max !== undefined && took > max) {
    throw new Error(
      `This file took ${took.toFixed(1)} s of processor time, more than the ${max} s that a file of its suite may take.`,
    );
  }
});
