import { expect, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { SHELL_ERRORS } from '../../../test/support/server/start-server.ts';
import { errorResponseFrom } from './error-response.ts';
import { HttpError, notFound, RequestInvalid } from './http-error.ts';

const CONTEXT = { requestId: 'request-1', baseUrl: 'https://api.test/base', errors: SHELL_ERRORS };
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Type': 'application/json; charset=utf-8',
  'X-Request-ID': 'request-1',
};

function responseTo(thrown: unknown) {
  const { status, headers, body } = errorResponseFrom(thrown, CONTEXT);
  return { status, headers, body: JSON.parse(body) };
}

test('an error is an answer without a server: status, headers and the envelope, its own fields before the request id', () => {
  const error = new HttpError({ code: 'too_sour', status: 418 }, 'Add sugar', {
    param: 'lemons',
    fields: { sourness: 9, sweetness: undefined },
    headers: { 'Retry-After': '3' },
  });
  const response = responseTo(error);
  expect(response).toEqual({
    status: 418,
    headers: { ...HEADERS, 'Retry-After': '3' },
    body: {
      error: {
        code: 'too_sour',
        message: 'Add sugar',
        param: 'lemons',
        help_url: 'https://api.test/base/docs/errors/too_sour',
        sourness: 9,
        request_id: 'request-1',
      },
    },
  });
  expect(Object.keys(response.body.error)).toEqual(['code', 'message', 'param', 'help_url', 'sourness', 'request_id']);
});

test('what is wrong with a request is a list, whole', () => {
  const problem = { loc: ['query', 'limit'], msg: 'no', type: 'int_parsing', input: 'x', ctx: {} };
  expect(responseTo(new RequestInvalid([problem]))).toEqual({
    status: 422,
    headers: HEADERS,
    body: { detail: [problem] },
  });
});

test('a refusal without words of its own gets those of the service', () => {
  const { status, body } = responseTo(Object.assign(new Error('FST_ERR_CTP_INVALID_MEDIA_TYPE'), { statusCode: 415 }));
  expect([status, body.error.code, body.error.message]).toEqual([
    415,
    'unsupported_media_type',
    'title of unsupported_media_type',
  ]);
});

test.each([
  ['a defect', new TypeError('secret is undefined')],
  ['an error that is for programs', new AppError('corrupt', 'secret.parquet is damaged')],
  ['something that is no error', 'secret'],
  ['nothing at all', undefined],
])('%s is told as a defect, and nothing of it', (_, thrown) => {
  const { error, ...response } = errorResponseFrom(thrown, CONTEXT);
  expect([response.status, JSON.parse(response.body).error.code]).toEqual([500, 'internal_error']);
  expect(response.body).not.toContain('secret');
  expect(error.cause).toBe(thrown);
});

test('a path that leads out of a folder looks like one that leads nowhere', () => {
  const forbidden = responseTo(Object.assign(new Error('Forbidden'), { statusCode: 403 }));
  expect(forbidden).toEqual(responseTo(notFound(null, 'There is no such route')));
});

test('of an outage callers are told what is for everybody, not the cause', () => {
  const publicMessage = 'The database does not answer';
  const { status, body } = responseTo(
    new AppError('unavailable', 'connect ECONNREFUSED 10.0.0.7:5432', { publicMessage }),
  );
  expect([status, body.error.code, body.error.message]).toEqual([503, 'unavailable', publicMessage]);
});
