import { userInfo } from 'node:os';

/** The name of the operating system's user that this process runs as; undefined where that has none, as in some containers. */
export function findSystemUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
