import { readFileSync } from 'node:fs';

const UNIT_BYTES: Readonly<Record<string, number>> = {
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** The bytes of a size as DuckDB takes it, such as `1GB` or `512 MiB`. */
export function bytesFromSize(size: string): number {
  const [, number, unit = ''] = /^([\d.]+)\s?([KMGT]i?B)$/.exec(size) ?? [];
  const bytes = UNIT_BYTES[unit];
  if (number === undefined || bytes === undefined) throw new Error(`not a size: ${size}`);
  return Number(number) * bytes;
}

/** What a process holds in memory and in swap, in bytes; undefined where it is gone, or where the system isn't Linux. */
export function memoryOfProcess(pid: number): number | undefined {
  const status = readStatus(pid);
  const sizes = [...(status?.matchAll(/^Vm(?:RSS|Swap):\s*(\d+) kB$/gm) ?? [])];
  return sizes.length === 0 ? undefined : sizes.reduce((sum, [, kibibytes]) => sum + Number(kibibytes) * 1024, 0);
}

function readStatus(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
}
