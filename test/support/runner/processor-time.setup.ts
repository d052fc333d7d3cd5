/**
 * Measures the processor time of each test file, and fails a file that takes more than its suite allows: what takes long by nature belongs
 * to `make test-long`. Processor time, since a busy machine changes the time on the wall; and as the machine would take it on which the
 * limit was set, since processors differ and two busy cores slow each other down.
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

/** What {@link calibrate} takes on the machine on which the limits were set, when it is quiet. */
const CALIBRATION_MS = 15;
const CALIBRATIONS = 9;

/** How many times slower this machine is now than the one on which the limits were set; at least 1. */
function slowness(): number {
  const times = Array.from({ length: CALIBRATIONS }, calibrate).sort((a, b) => a - b);
  return Math.max(1, (times[Math.floor(CALIBRATIONS / 2)] ?? 0) / CALIBRATION_MS);
}

/** Does a fixed piece of work, and returns the milliseconds of processor time that it took. */
function calibrate(): number {
  const start = process.cpuUsage();
  const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `model-${n % 997}`, value: n / 7, tags: [String(n)] }));
  const lines = rows.map((row) => JSON.stringify(row)).sort();
  for (const line of lines) JSON.parse(line);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const before = processorSeconds();

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures a hook wants
afterAll(({}, file) => {
  const took = processorSeconds() - before;
  file.meta.processorSeconds = took;
  const max = inject('processorSecondsMax');
  if (max === undefined || took <= max) return;
  const times = slowness();
  if (took <= max * times) return;
  throw new Error(
    `This file took ${took.toFixed(1)} s of processor time on a machine that is ${times.toFixed(1)} times slower than the one on which ` +
      `the limit of ${max} s was set.`,
  );
});
