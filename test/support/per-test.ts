import { beforeEach } from 'vitest';

/** Gives each test of a file a value of its own, a plain object; what it has can be used while a test runs. */
export function perTest<T extends object>(open: () => Promise<T>): T {
  let value: T | undefined;
  beforeEach(async () => {
    value = await open();
  });
  return new Proxy({} as T, { get: (_, name) => Reflect.get(value ?? {}, name) });
}
