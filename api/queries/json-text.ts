/** JSON text made of JSON text: what the view stores as it will be sent is neither parsed nor printed again. */

/** An array of values that are JSON text already. */
export function jsonArray(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}

/** An object whose values are JSON text already, in the order given. */
export function jsonObject(fields: Readonly<Record<string, string>>): string {
  return `{${Object.entries(fields)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
}
