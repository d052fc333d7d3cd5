/**
 * Messages of the Model Context Protocol, as far as whoever passes them on has to know them: JSON-RPC 2.0, one a line. Their text is
 * passed on as it came.
 */
import { z } from 'zod';
import type { ClientError } from '../errors.ts';

const IdSchema = z.union([z.string(), z.number()]);
export type MessageId = z.infer<typeof IdSchema>;

const MessageSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: IdSchema.optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

export interface Message {
  readonly text: string;
  /** With a method: a request, which has to be answered. */
  readonly id: MessageId | undefined;
  /** Undefined: an answer. */
  readonly method: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Codes of JSON-RPC 2.0 for what is wrong with a message. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const INTERNAL_ERROR = -32_603;

/** A message, or the code that says why a line is none. */
export function messageFrom(text: string): Message | typeof PARSE_ERROR | typeof INVALID_REQUEST {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return PARSE_ERROR;
  }
  const { data } = MessageSchema.safeParse(json);
  return data === undefined ? INVALID_REQUEST : { text, id: data.id, method: data.method, params: data.params ?? {} };
}

/** A message that a request failed; without an id where nobody knows which one. */
export function failure(id: MessageId | undefined, code: number, message: string, data?: object): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: id ?? null,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}

/** What an error of a call tells a program, by the names of the error envelope; undefined fields are left out by JSON. */
export function errorData(error: ClientError): object {
  const { code, status, param, request_id, help_url, limit_type, limit_scope, retry_after_seconds, reset_at } = error;
  return { code, status, param, request_id, help_url, limit_type, limit_scope, retry_after_seconds, reset_at };
}
