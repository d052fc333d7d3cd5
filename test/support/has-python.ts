import { findProgram } from './processes/server-process.ts';

/** Whether Python is there, for what is checked by a program in another language. */
export const HAS_PYTHON = findProgram('python3') !== undefined;
