import { userInfo } from 'node:os';
import { dirname, extname, join } from 'node:path';

const NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the `hostname` of a URL is this machine, so that no traffic leaves it. */
export function isThisMachine({ hostname }: Pick<URL, 'hostname'>): boolean {
  return NAMES.includes(hostname);
}

/** The operating system's user of this process; undefined without one, as in some containers. */
export function findSystemUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

interface ProgramBeside {
  readonly path: string;
  readonly execArgv: readonly string[];
}

/**
 * A program in a module's folder, compiled or TypeScript as that module is; older Node needs options for the latter.
 * @param name without extension
 */
export function programBeside(module: string, name: string): ProgramBeside {
  const extension = extname(module);
  const mustStrip = extension === '.ts' && process.features.typescript === false;
  return {
    path: join(dirname(module), `${name}${extension}`),
    execArgv: mustStrip ? ['--experimental-strip-types', '--no-warnings'] : [],
  };
}

/** File systems without hard links (exFAT, SMB, some FUSE) fail with these codes. */
export const WITHOUT_HARD_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
