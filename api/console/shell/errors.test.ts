import { expect, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { failureFrom } from './errors.tsx';

test('what the operator has not set up is no defect of the service, and the page names no setting', () => {
  const failure = failureFrom(new AppError('configuration', 'MODELSTATS_PUBLIC_URL is not set'));
  expect(failure).toMatchObject({ status: 503, title: 'Not configured' });
  expect(failure.help).not.toContain('MODELSTATS');
});
