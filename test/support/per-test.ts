import { beforeEach } from 'vitest';

/** Gives each test of a file a value of its own, a plain object; what it has can be used while a test runs. */
export function perTest<T extends object>(open: () => Promise<T>): T {
  let value: T | undefined;
  beforeEach(async () => {
    value = await open();
  });
  const get = (_: T, name: string | symbol): unknown => {
    if (value === undefined) throw new Error(`${String(name)} is there while a test runs, not before`);
    return Reflect.get(value, name);
  };
  return new Proxy({} as T, { get });
}
