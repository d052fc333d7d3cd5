/** By name, capitalized as documented; an empty value removes a default header. */
export type ResponseHeaders = Readonly<Record<string, string>>;

export const HTML_TYPE = 'text/html; charset=utf-8';

/** In Node's raw form: name, value, name, value; names in lower case, as Fastify writes them. */
export function fieldsOf(headers: ResponseHeaders): string[] {
  const fields: string[] = [];
  for (const name in headers) if (headers[name]) fields.push(name.toLowerCase(), headers[name]);
  return fields;
}
