/** A range of `Accept`, with its weight (RFC 9110 §12.5.1). */
interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

/**
 * Whether `Accept` asks for a page rather than for JSON, as browsers do: it names `text/html`, and JSON not before it, by weight and where that
 * is equal by the order. Programs, which send `*` for everything or nothing at all, don't.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').map(rangeFrom);
  const rangeOf = (...types: readonly string[]) =>
    types.map((type) => ranges.find((range) => range.type === type)).find((range) => range !== undefined);
  const [html, json] = [rangeOf('text/html'), rangeOf('application/json', 'application/*', '*/*')];
  if (html === undefined || html.weight === 0) return false;
  if (json === undefined || html.weight !== json.weight) return html.weight > (json?.weight ?? 0);
  return ranges.indexOf(html) < ranges.indexOf(json);
}

function rangeFrom(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
