/**
 * How the same model is written in different places (specification "Names as people write them"). Each step takes a name as the one
 * before left it, so a form of a later step is less like the name.
 *
 * | step | leaves out | such as |
 * | --- | --- | --- |
 * | `spelling` | case and punctuation | `GPT 4o` |
 * | `path` | what stands before a slash, part by part | `azure/eu/gpt-4o`, `openrouter/openai/gpt-4o` |
 * | `prefix` | region and maker before the name | `us.anthropic.claude-…`, `OpenAI: GPT-4o` |
 * | `suffix` | the offer, and the version of an interface | `:free`, `-v1:0` |
 * | `date` | the date, or that it is the latest | `-2024-08-06`, `(Nov 2024)`, `-latest` |
 *
 * What changes the model stays: size, effort, thinking, quantization.
 */

export const NAME_STEPS = ['spelling', 'path', 'prefix', 'suffix', 'date'] as const;
export type NameStep = (typeof NAME_STEPS)[number];

/** A name after a step. */
export interface NameForm {
  readonly step: NameStep;
  /** Place among all forms of a name: less like it the greater. */
  readonly distance: number;
  /** What the step left, as written. */
  readonly text: string;
  /** Words of the text in one spelling; never empty. */
  readonly form: string;
  /** What came before the name, in parts: sellers, makers, regions. */
  readonly sellers: readonly string[];
  /** Digits of the date that was left out; empty: none. */
  readonly date: string;
}

/** Forms of one step; a name has fewer. */
const FORMS_OF_STEP = 10;

export function stepAt(distance: number): NameStep {
  return NAME_STEPS[Math.floor(distance / FORMS_OF_STEP)] ?? 'date';
}

/** The forms of a name, by distance; without letters and digits it has none. */
export function formsOf(name: string): readonly NameForm[] {
  const written = name.trim();
  const paths = withoutPath(written);
  const last = paths.at(-1) ?? { text: written, sellers: [] };
  const plain = withoutPrefix(last.text, { isFireworks: /fireworks/i.test(written) });
  const sellers = [...last.sellers, ...plain.sellers];
  const bare = withoutSuffixes(plain);
  const dated = withoutDate(bare.at(-1) ?? plain.text);
  const steps: readonly (readonly Omit<NameForm, 'step' | 'distance' | 'form'>[])[] = [
    [{ text: written, sellers: [], date: '' }],
    paths.map((path) => ({ ...path, date: '' })),
    [{ text: plain.text, sellers, date: '' }],
    bare.map((text) => ({ text, sellers, date: '' })),
    [{ ...dated, sellers }],
  ];
  const forms = NAME_STEPS.flatMap((step, at) =>
    (steps[at] ?? []).map((each, place) => {
      return { ...each, step, distance: at * FORMS_OF_STEP + place, form: spellingOf(each.text) };
    }),
  );
  return forms.filter(({ form }, at) => form !== '' && forms.findIndex((other) => other.form === form) === at);
}

/** Runs of letters and of digits in lower case, joined by dashes; slashes stay, which part a name from its seller. */
export function spellingOf(text: string): string {
  const parts = text.split('/').map((part) => wordsOf(part).join('-'));
  return parts.filter((part) => part !== '').join('/');
}

/** A plus is a word: Command R+ is another model than Command R. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('+', ' plus ')
      .match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  );
}

/** `Anthropic: Claude Sonnet 4.5`, as OpenRouter writes names. */
const MAKER_HEAD = /^([\p{L}\p{N}][\p{L}\p{N} .&-]*): (?=\S)/u;

/** Bedrock's regions and makers before a name: `us.anthropic.claude-…`. */
export const BEDROCK_HEAD =
  /^((?:(?:us|eu|apac|au|jp|ca|global|us-gov)\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshotai|nvidia|openai|qwen|stability|twelvelabs|writer|zai)\.)(?=[\p{L}\p{N}])/iu;

/** Fireworks writes a version's point so: `deepseek-v3p2`; SAP a maker so: `anthropic--claude-4-sonnet`. */
const FIREWORKS_POINT = /(?<=\d)p(?=\d)/g;
const SAP_HEAD = /^([a-z]+)--(?=[a-z])/;

/** Parts of a path that are left out one by one; those before them all at once. */
const PATH_PARTS_MAX = 5;

/** With one part less before the last slash each; the last has none. */
function withoutPath(name: string): readonly { readonly text: string; readonly sellers: readonly string[] }[] {
  const parts = name.split('/').filter((part) => part !== '');
  const places = parts.map((_, at) => at).slice(Math.max(1, parts.length - PATH_PARTS_MAX));
  return places.map((at) => ({ text: parts.slice(at).join('/'), sellers: parts.slice(0, at) }));
}

interface Plain {
  readonly text: string;
  readonly sellers: readonly string[];
  /** Whether it is written as Bedrock does. */
  readonly isBedrock: boolean;
}

function withoutPrefix(name: string, { isFireworks }: { readonly isFireworks: boolean }): Plain {
  const [head = '', maker = ''] = MAKER_HEAD.exec(name) ?? [];
  const [bedrock = ''] = BEDROCK_HEAD.exec(name) ?? [];
  const [sap = ''] = SAP_HEAD.exec(name) ?? [];
  const rest = name.slice(Math.max(head.length, bedrock.length, sap.length));
  const text = isFireworks ? rest.replace(FIREWORKS_POINT, '.').replace(/(?<=llama-)v(?=\d)/, '') : rest;
  const sellers = [maker, ...bedrock.split('.'), sap.replace('--', '')].filter((seller) => seller !== '');
  return { text, sellers, isBedrock: bedrock !== '' };
}

/** Offers of one model: OpenRouter's routes and Vertex AI's forms. `:thinking` is none: it answers otherwise. */
const OFFER = /()(?::(?:free|beta|extended|exacto|nitro|floor|online)|@default|-maas| \(free\))$/i;

/** Version of Bedrock's interface: after a date any, else the first of a name with another number: `titan-embed-text-v1` is a version. */
const INTERFACE = /(-v\d+):\d+$/;
const DATED_VERSION = /(-20\d{6})-v\d+$/;
const FIRST_VERSION = /^(\D*\d.*)-v1$/s;

/** Each with one more suffix left out. */
function withoutSuffixes({ text, isBedrock }: Plain): readonly string[] {
  const forms: string[] = [];
  let rest = text;
  for (const suffix of [OFFER, INTERFACE, DATED_VERSION, ...(isBedrock ? [FIRST_VERSION] : [])]) {
    const shorter = rest.replace(suffix, '$1');
    if (shorter !== rest && shorter !== '') forms.push(shorter);
    rest = shorter === '' ? rest : shorter;
  }
  return forms;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const [MONTH, DAY] = ['(?:0[1-9]|1[0-2])', '(?:0[1-9]|[12]\\d|3[01])'];
/** Years of which `2507` is July 2025; else four digits are a month and a day. */
const SHORT_YEAR = '2[3-9]';
const DATES = [
  new RegExp(`[-@ _]\\(?(20\\d{2}-?${MONTH}(?:-?${DAY})?)\\)?$`),
  new RegExp(`[-@ _]\\(?(${SHORT_YEAR}${MONTH}|${MONTH}-?${DAY})\\)?$`),
];
const WRITTEN_MONTH = new RegExp(`[ -]\\(?(${MONTHS.join('|')})[a-z]* '?((?:20)?\\d{2})\\)?$`, 'i');
const LATEST = /(?:[-:]latest| \(latest\))$/i;

function withoutDate(text: string): { readonly text: string; readonly date: string } {
  const [latest] = LATEST.exec(text) ?? [];
  if (latest !== undefined) return { text: text.slice(0, -latest.length), date: '' };
  const [month, name = '', year = ''] = WRITTEN_MONTH.exec(text) ?? [];
  if (month !== undefined) {
    const number = String(MONTHS.indexOf(name.toLowerCase()) + 1).padStart(2, '0');
    return { text: text.slice(0, -month.length), date: year + number };
  }
  const [date, digits = ''] = DATES.map((each) => each.exec(text)).find((found) => found !== null) ?? [];
  return date === undefined
    ? { text, date: '' }
    : { text: text.slice(0, -date.length), date: digits.replaceAll('-', '') };
}

/** Whether two dates may be one: `0806` and `20240806` may, also where one is not known. */
export function mayBeOneDate(left: string, right: string): boolean {
  return left.includes(right) || right.includes(left);
}
