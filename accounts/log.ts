/** The part of a pino logger that is used here: facts for programs, a message for people. Never a key or a password. */
export interface Log {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
}

export const NO_LOG: Log = { info: () => {}, warn: () => {} };
