import { userInfo } from 'node:os';
import { dirname, extname, join } from 'node:path';

const NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** True for the name of this machine, as the `hostname` of a URL has it: what goes there leaves it on no wire. */
export function isThisMachine({ hostname }: Pick<URL, 'hostname'>): boolean {
  return NAMES.includes(hostname);
}

/** The name of the operating system's user that this process runs as; undefined where that has none, as in some containers. */
export function findSystemUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** What Node needs to run a program of ours apart from this one. */
interface ProgramBeside {
  readonly path: string;
  readonly execArgv: readonly string[];
}

/**
 * A program in the folder of a module: compiled as that is, or TypeScript as that is, which older Node has to be told.
 * @param name of the program, without its extension
 */
export function programBeside(module: string, name: string): ProgramBeside {
  const extension = extname(module);
  const mustStrip = extension === '.ts' && process.features.typescript === false;
  return {
    path: join(dirname(module), `${name}${extension}`),
    execArgv: mustStrip ? ['--experimental-strip-types', '--no-warnings'] : [],
  };
}

/** With these codes a file system says that it has no hard links: exFAT, SMB and some of FUSE. */
export const WITHOUT_HARD_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
