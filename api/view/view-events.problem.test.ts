import { expect, test } from 'vitest';
import { AppError, ERROR_CODES, type ErrorCode } from '../../runtime/errors.ts';
import { viewProblemFrom } from './view-events.ts';

const SINCE = new Date('2026-06-30T12:00:00Z');
const SECRET = 's3://bucket/folder at http://10.0.0.7:9000: releases/2026-06-30.x/state/models.parquet in /var/view';

// The keys of a literal are its own.
test.each(Object.keys(ERROR_CODES) as ErrorCode[])(
  'the public problem of %s names nothing of the error’s message',
  (code) => {
    const problem = viewProblemFrom(new AppError(code, SECRET, { cause: new Error(SECRET) }), SINCE);
    expect(problem).toEqual({
      code,
      message: expect.stringMatching(/^(the store|an object in the store|the newest release) [\w ,;]+$/),
      since: SINCE,
    });
  },
);

test('an unexpected error is published without its message', () => {
  const message = 'the newest release cannot be served; see the log';
  expect(viewProblemFrom(new Error(SECRET), SINCE)).toEqual({ code: 'internal_error', message, since: SINCE });
});

test('a public message is published', () => {
  const error = new AppError('unavailable', SECRET, { publicMessage: 'nothing is published yet' });
  expect(viewProblemFrom(error, SINCE).message).toBe('nothing is published yet');
});
