import { execFileSync } from 'node:child_process';

/** Whether Python is there, for what is checked by a program in another language. */
export const HAS_PYTHON = hasPython();

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
