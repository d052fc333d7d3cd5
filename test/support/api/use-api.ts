import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type ApiOptions, openApi, type TestApi } from './open-api.ts';

/**
 * The API of a test file, or of a `describe`: opened before its tests and closed after them. What it answers with stands for
 * that API while the tests run, so it may be had at once, but used in tests and hooks only.
 */
export function useApi(options: ApiOptions): TestApi {
  let opened: TestApi | undefined;
  beforeAll(async () => {
    opened = await openApi(options);
  });
  afterAll(() => opened?.close());
  const target = {} as TestApi; // Never looked at: every property is the opened API's.
  return new Proxy(target, {
    get: (_, name) => {
      if (opened === undefined) throw new Error('the API is open only while the tests run');
      return Reflect.get(opened, name);
    },
  });
}

/** The API of one test, open until it is over. */
export async function openOwnApi(options: ApiOptions): Promise<TestApi> {
  const api = await openApi(options);
  onTestFinished(() => api.close());
  return api;
}
