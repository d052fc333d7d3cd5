/**
 * What is made of the bodies of requests. A route takes none unless the scope that adds it says so with {@link takeBodies}:
 * then what is sent all the same is not read, and never more of it than {@link UNREAD_BYTES_MAX} let through.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isNestedDeeper } from '../../runtime/json-depth.ts';
import { type HttpError, httpError } from './errors/http-error.ts';

/** `json` and `form` are parsed by the type that the request names; `bytes` is a Buffer, whatever the type. */
export type BodyKind = 'json' | 'form' | 'bytes';

export interface Bodies {
  readonly kinds: readonly BodyKind[];
  /** Longest body; a route may set another with its own `bodyLimit`. */
  readonly bytesMax: number;
}

/** Levels of lists and objects in a body of JSON. More: code that calls itself for each runs out of stack; nothing here needs six. */
const JSON_LEVELS_MAX = 64;

/** Longest body that is thrown away where none is taken. */
const UNREAD_BYTES_MAX = 64 * 1024;

/** What the whole server is made with, so that routes without bodies have a limit too. */
export const BODY_SETTINGS = { bodyLimit: UNREAD_BYTES_MAX } as const;

/** Makes no route take a body; a scope's own rules come after. What says that it is too long {@link assertLength} refuses. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** Throws where a request says that its body is too long. */
export function assertLength({ headers }: FastifyRequest, bytesMax = UNREAD_BYTES_MAX): void {
  if (Number(headers['content-length'] ?? 0) <= bytesMax) return;
  // The rest of the body is not waited for.
  throw httpError('payload_too_large', `The body of the request is larger than ${bytesMax} bytes`, {
    headers: { Connection: 'close' },
  });
}

/**
 * Makes the routes of a scope take bodies: those that it adds from now on. Anything else than the named kinds is refused with
 * 415, anything longer with 413, and JSON that is nested deeper than {@link JSON_LEVELS_MAX} with 400.
 */
export function takeBodies(scope: FastifyInstance, { kinds, bytesMax }: Bodies): void {
  scope.removeAllContentTypeParsers();
  scope.addHook('onRoute', (route) => {
    route.bodyLimit ??= bytesMax;
  });
  for (const kind of kinds) PARSERS[kind](scope);
}

const PARSERS: Readonly<Record<BodyKind, (scope: FastifyInstance) => void>> = {
  json: (scope) => {
    const parse = scope.getDefaultJsonParser('error', 'error');
    scope.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
      parse(request, text, (error, value: unknown) => {
        if (error) done(improper('JSON', error));
        else if (isNestedDeeper(value, JSON_LEVELS_MAX)) done(tooDeep());
        else done(null, value);
      });
    });
  },
  form: (scope) => {
    scope.addContentTypeParser<string>('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, text, done) => {
      try {
        done(null, formFields(text));
      } catch (error) {
        done(improper('form', error));
      }
    });
  },
  bytes: (scope) => {
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, bytes, done) => done(null, bytes));
  },
};

/** The fields of a form by name; one that is given more than once is a list. Throws where it is not properly encoded. */
function formFields(text: string): Readonly<Record<string, string | readonly string[]>> {
  const fields = new Map<string, string[]>();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const [name = '', ...value] = pair.split('=').map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    fields.set(name, [...(fields.get(name) ?? []), value.join('=')]);
  }
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function tooDeep(): HttpError {
  return httpError('bad_request', `The body of the request is nested more than ${JSON_LEVELS_MAX} levels deep`);
}

function improper(kind: string, cause: unknown): HttpError {
  return httpError('bad_request', `The body of the request is no proper ${kind}`, { cause });
}
