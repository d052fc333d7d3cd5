/**
 * How the same model is written in different places (specification "Names as people write them"). Each step takes a name as the one
 * before left it, so a form of a later step is less like the name.
 *
 * | step | leaves out | such as |
 * | --- | --- | --- |
 * | `spelling` | case and punctuation | `GPT 4o` |
 * | `seller` | who sells or made it, and where it runs | `azure/eu/gpt-4o`, `us.anthropic.claude-…`, `OpenAI: GPT-4o` |
 * | `suffix` | the offer, and the version of an interface | `:free`, `-v1:0` |
 * | `date` | the date, or that it is the latest | `-2024-08-06`, `(Nov 2024)`, `-latest` |
 *
 * What changes the model stays: size, effort, thinking, quantization.
 */

export const NAME_STEPS = ['spelling', 'seller', 'suffix', 'date'] as const;
export type NameStep = (typeof NAME_STEPS)[number];

/** A name after a step. */
export interface NameForm {
  readonly step: NameStep;
  /** What the step left, as written. */
  readonly text: string;
  /** Words of the text in one spelling; never empty. */
  readonly form: string;
  /** What came before the name, in parts: sellers, makers, regions. */
  readonly sellers: readonly string[];
  /** Digits of the date that was left out; empty: none. */
  readonly date: string;
}

/** The forms of a name, by step; without letters and digits it has none. */
export function formsOf(name: string): readonly NameForm[] {
  const [written, plain] = [name.trim(), withoutSeller(name.trim())];
  const bare = withoutSuffixes(plain);
  const last = bare.at(-1) ?? plain.text;
  const dated = withoutDate(last);
  const { sellers } = plain;
  const all = [
    { step: 'spelling', text: written, sellers: [], date: '' },
    { step: 'seller', text: plain.text, sellers, date: '' },
    ...bare.map((text) => ({ step: 'suffix', text, sellers, date: '' }) as const),
    { step: 'date', text: dated.text, sellers, date: dated.date },
  ] as const;
  const forms = all.map((each) => ({ ...each, form: spellingOf(each.text) }));
  return forms.filter(({ form }, at) => form !== '' && forms.findIndex((other) => other.form === form) === at);
}

/** Runs of letters and of digits in lower case, joined by dashes; a plus is a word: Command R+ is another model than Command R. */
export function spellingOf(text: string): string {
  return wordsOf(text).join('-');
}

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
const BEDROCK_HEAD =
  /^((?:(?:us|eu|apac|au|jp|ca|global|us-gov)\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshotai|nvidia|openai|qwen|stability|twelvelabs|writer|zai)\.)(?=[\p{L}\p{N}])/u;

/** Fireworks writes a version's point so: `deepseek-v3p2`; SAP a maker so: `anthropic--claude-4-sonnet`. */
const FIREWORKS_POINT = /(?<=\d)p(?=\d)/g;
const SAP_HEAD = /^([a-z]+)--(?=[a-z])/;

interface Plain {
  readonly text: string;
  readonly sellers: readonly string[];
  /** Whether it is written as Bedrock does. */
  readonly isBedrock: boolean;
}

function withoutSeller(name: string): Plain {
  const [head = '', maker] = MAKER_HEAD.exec(name) ?? [];
  const parts = name.slice(head.length).split('/');
  const last = parts.findLast((part) => part !== '') ?? '';
  const before = parts.slice(0, parts.lastIndexOf(last)).filter((part) => part !== '');
  const [bedrock = ''] = BEDROCK_HEAD.exec(last.toLowerCase()) ?? [];
  const [sap = ''] = SAP_HEAD.exec(last) ?? [];
  const rest = last.slice(Math.max(bedrock.length, sap.length));
  const text = /fireworks/i.test(name) ? rest.replace(FIREWORKS_POINT, '.').replace(/(?<=llama-)v(?=\d)/, '') : rest;
  const sellers = [...(maker === undefined ? [] : [maker]), ...before, ...bedrock.split('.'), ...sap.split('--')];
  return { text, sellers: sellers.filter((seller) => seller !== ''), isBedrock: bedrock !== '' };
}

/** Offers of one model: OpenRouter's routes and Vertex AI's forms. `:thinking` is none: it answers otherwise. */
const OFFER = /(?::(?:free|beta|extended|exacto|nitro|floor|online)|@default|-maas| \(free\))$/i;

/** Version of Bedrock's interface: after a date any, else the first. `titan-embed-text-v2:0` is the second Titan, so only `:0` goes. */
const INTERFACE = /(?<=-v\d+):\d+$/;
const DATED_VERSION = /(?<=-20\d{6})-v\d+$/;
const FIRST_VERSION = /-v1$/;

/** Each with one more suffix left out. */
function withoutSuffixes({ text, isBedrock }: Plain): readonly string[] {
  const forms: string[] = [];
  let rest = text;
  for (const suffix of [OFFER, INTERFACE, DATED_VERSION, ...(isBedrock ? [FIRST_VERSION] : [])]) {
    const shorter = rest.replace(suffix, '');
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

/** Makers with several names. */
const MAKERS: Readonly<Record<string, string>> = {
  alibabacloud: 'alibaba',
  deepseekai: 'deepseek',
  googledeepmind: 'google',
  kimi: 'moonshot',
  metaai: 'meta',
  metallama: 'meta',
  mistralai: 'mistral',
  moonshotai: 'moonshot',
  qwen: 'alibaba',
  zaizhipuai: 'zai',
  zhipu: 'zai',
  zhipuai: 'zai',
};

/** In one spelling; undefined where unknown. Takes the first of several organizations. */
export function makerFromOrganization(organization: string | null): string | undefined {
  const [first = ''] = (organization ?? '').split(',');
  const plain = plainOf(first);
  return plain === '' ? undefined : (MAKERS[plain] ?? plain);
}

function plainOf(text: string): string {
  return wordsOf(text).join('');
}

/** Sellers of others' models, as their names stand before a model's; and words of such paths. */
const GATEWAYS = new Set(
  `accounts models publishers azure azureai azuretext bedrock bedrockconverse cerebras cf chutes cloudflare databricks deepinfra
  fireworks fireworksai github githubcopilot githubmodels gradientai groq heroku huggingface hyperbolic lambdaai nebius novita nscale
  nvidianim oci ollama openrouter replicate sagemaker sambanova snowflake together togetherai vercelaigateway vertexai volcengine wandb
  watsonx workersai`.split(/\s+/),
);
const REGION =
  /^(?:(?:us|eu|ap|apac|au|jp|ca|sa|me|af|global|us-gov)(?:-[a-z]+)*(?:-?\d+)?|[a-z]+-(?:east|west|north|south|central)\d?)$/;

export interface NamedModel {
  readonly id: string;
  readonly organization: string | null;
  /** Who serves it. */
  readonly inference: readonly string[] | null;
}

/** Whether what stands before a name agrees with a model: its maker, who serves it, a seller of others' models, or a region. */
export function agreesWith(seller: string, { id, organization, inference }: NamedModel): boolean {
  const plain = plainOf(seller);
  if (GATEWAYS.has(plain) || REGION.test(seller.toLowerCase())) return true;
  const maker = makerFromOrganization(seller);
  if (maker === undefined || maker === makerFromOrganization(organization)) return true;
  return (inference ?? []).some((provider) => plainOf(provider) === plain) || plainOf(id).startsWith(plain);
}
