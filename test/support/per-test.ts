import { afterAll, beforeAll, beforeEach } from 'vitest';

/** Gives each test of a file a value of its own, a plain object; what it has can be used while a test runs. */
export function perTest<T extends object>(open: () => Promise<T>): T {
  let value: T | undefined;
  beforeEach(async () => {
    value = await open();
  });
  return standFor(() => value);
}

/**
 * Gives the tests of a file, or of a `describe`, a value that they share: opened before them and closed after them. It may be had at once,
 * and used in tests and hooks only.
 */
export function perFile<T extends { close(): Promise<unknown> }>(open: () => Promise<T>): T {
  let value: T | undefined;
  beforeAll(async () => {
    value = await open();
  });
  afterAll(() => value?.close());
  return standFor(() => value);
}

function standFor<T extends object>(valueNow: () => T | undefined): T {
  return new Proxy({} as T, {
    get: (_, name) => {
      const value = valueNow();
      if (value === undefined) throw new Error('this is open only while the tests run');
      return Reflect.get(value, name);
    },
  });
}
