/**
 * Request bodies. A route takes none unless its scope calls {@link acceptBodies}; others are discarded, up to {@link
 * UNREAD_BYTES_MAX}.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isNestedDeeper } from '../../runtime/json-depth.ts';
import { type HttpError, httpError } from './errors/http-error.ts';

/** `json` and `form` are parsed by content type; `bytes` is a Buffer for any type. */
export type BodyKind = 'json' | 'form' | 'bytes';

export interface Bodies {
  readonly kinds: readonly BodyKind[];
  /** Longest body; a route can override it with `bodyLimit`. */
  readonly bytesMax: number;
}

/** Nesting of a JSON body: more could overflow the stack of recursive code; six levels are needed. */
const JSON_LEVELS_MAX = 64;

/** Longest body that is discarded. */
const UNREAD_BYTES_MAX = 64 * 1024;

/** Fastify's options: the limit of routes without bodies. */
export const BODY_SETTINGS = { bodyLimit: UNREAD_BYTES_MAX } as const;

/** Makes all routes discard bodies; scopes may override it later. {@link assertLength} refuses long ones. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** Throws if Content-Length exceeds the limit. */
export function assertLength({ headers }: FastifyRequest, bytesMax = UNREAD_BYTES_MAX): void {
  if (Number(headers['content-length'] ?? 0) <= bytesMax) return;
  // Closes without reading the rest.
  throw httpError('payload_too_large', `The body of the request is larger than ${bytesMax} bytes`, {
    headers: { Connection: 'close' },
  });
}

/**
 * Makes the scope's routes added from now on accept bodies. Responds with 415 to other kinds, 413 to longer ones, 400
 * to JSON nested deeper than {@link JSON_LEVELS_MAX}.
 */
export function acceptBodies(scope: FastifyInstance, { kinds, bytesMax }: Bodies): void {
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
        if (error) done(malformed('JSON', error));
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
        done(malformed('form data', error));
      }
    });
  },
  bytes: (scope) => {
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, bytes, done) => done(null, bytes));
  },
};

/** Form fields by name; repeated ones become a list. Throws for invalid encoding. */
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

function malformed(kind: string, cause: unknown): HttpError {
  return httpError('bad_request', `The body of the request is not valid ${kind}`, { cause });
}
