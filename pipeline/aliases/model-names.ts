/** What names of models and makers come down to when two are compared, without their upstream's habits. */

/** Regions and makers that Bedrock writes before a name, and the version behind it: `us.anthropic.claude-…-v1:0`. */
const BEDROCK_HEAD =
  /^(?:(?:us|eu|apac|au|jp|global|us-gov)\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshotai|nvidia|openai|qwen|zai)\./;
const BEDROCK_TAIL = /-v\d+(?::\d+)?$/;
/** A point in a version, as Fireworks writes it: `deepseek-v3p2`. */
const FIREWORKS_POINT = /(\d)p(\d)/g;

/**
 * A name in one spelling: its last part, in lower case, with dashes for points, blanks and the like. What says more than spelling
 * (effort, date, variant) stays.
 */
export function normalName(name: string): string {
  return (name.split('/').at(-1) ?? '')
    .toLowerCase()
    .replace(BEDROCK_HEAD, '')
    .replace(BEDROCK_TAIL, '')
    .replace(FIREWORKS_POINT, '$1-$2')
    .replace(/[\s._@]+/g, '-');
}

/** A name in one spelling without the date at its end, where it has one: `-20251001` or `-2025-10-01`. */
export function withoutDate(normal: string): string {
  return normal.replace(/-20\d{2}-?(?:0[1-9]|1[0-2])-?(?:[0-2]\d|3[01])$/, '');
}

/** Makers that upstreams call by several names. */
const MAKERS: Readonly<Record<string, string>> = {
  googledeepmind: 'google',
  kimi: 'moonshot',
  metaai: 'meta',
  mistralai: 'mistral',
  moonshotai: 'moonshot',
  qwen: 'alibaba',
  zaizhipuai: 'zai',
  zhipu: 'zai',
  zhipuai: 'zai',
};

/** Who made a model, in one spelling; undefined where nobody says. Of several organizations the first. */
export function makerFromOrganization(organization: string | null): string | undefined {
  const [first = ''] = (organization ?? '').split(',');
  const plain = first.toLowerCase().replace(/[^\p{L}\d]/gu, '');
  return plain === '' ? undefined : (MAKERS[plain] ?? plain);
}
