/** Headers of an answer by name, as they are written in the documentation; an empty value leaves out what answers usually have. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** `Content-Type` of every page. */
export const HTML_TYPE = 'text/html; charset=utf-8';

/** As Node writes them without a look at each: name, value, name, value; the names in lower case, as Fastify writes them. */
export function fieldsOf(headers: ResponseHeaders): string[] {
  const fields: string[] = [];
  for (const name in headers) if (headers[name]) fields.push(name.toLowerCase(), headers[name]);
  return fields;
}
