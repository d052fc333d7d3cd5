import type { CommandContext } from '../../cli/command-context.ts';
import type { Grounds } from './grounds/grounds.ts';

/** What a check found out. */
export interface Finding {
  readonly result: 'ok' | 'warn' | 'fail' | 'skipped';
  /** What is so. */
  readonly message: string;
  /** What to do about it; null where nothing is to be done. */
  readonly advice: string | null;
}

/** What a check may look at. */
export type Setup = Pick<CommandContext, 'config' | 'env' | 'clock' | 'toolVersion'> & { readonly grounds: Grounds };

/**
 * Looks at one thing; undefined where this machine doesn't use it. What it throws is a failure, or, where it is a missing ground that
 * another check tells of, the reason why it is skipped.
 */
export type Check = (setup: Setup) => Promise<Finding | undefined>;

export function ok(message: string): Finding {
  return { result: 'ok', message, advice: null };
}

/** It works, and may not go on to, or not as it should. */
export function warn(message: string, advice: string): Finding {
  return { result: 'warn', message, advice };
}

/** Something doesn't work. */
export function fail(message: string, advice: string): Finding {
  return { result: 'fail', message, advice };
}

/** It stands on what another check has found missing, and is not a cause of its own. */
export function skipped(see: string): Finding {
  return { result: 'skipped', message: `not looked at: see ${see}`, advice: null };
}
