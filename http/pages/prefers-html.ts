/** A range of `Accept`, with its weight (RFC 9110 §12.5.1). */
interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

/**
 * Whether `Accept` asks for a page rather than for JSON, as browsers do: it names `text/html`, and JSON not before it. Programs, which send
 * `*` for everything or nothing at all, don't.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').map(rangeFrom);
  const weightOf = (...types: readonly string[]) =>
    types.map((type) => ranges.find((range) => range.type === type)?.weight).find((weight) => weight !== undefined) ??
    0;
  const html = weightOf('text/html');
  return html > 0 && html >= weightOf('application/json', 'application/*', '*/*');
}

function rangeFrom(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
