import { dirname, extname, join } from 'node:path';

/** What Node needs to run a program of ours apart from this one. */
export interface ProgramBeside {
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
