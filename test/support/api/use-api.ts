import { onTestFinished } from 'vitest';
import { perFile } from '../per-test.ts';
import { type ApiOptions, openApi, type TestApi } from './open-api.ts';

export function useApi(options: ApiOptions): TestApi {
  return perFile(() => openApi(options));
}

export async function openOwnApi(options: ApiOptions): Promise<TestApi> {
  const api = await openApi(options);
  onTestFinished(() => api.close());
  return api;
}
