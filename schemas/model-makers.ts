/** Who makes and sells models, as their names stand before a model's (schemas/model-name.ts). */
import { formsOf, wordsOf } from './model-name.ts';

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
  `302ai accounts aihubmix amazonbedrock azure azureai azuretext bedrock bedrockconverse bedrockmantle cerebras cf chutes cloudflare
  cloudflareaigateway cloudflareworkersai cortecs databricks deepinfra fastrouter fireworks fireworksai friendliai github githubcopilot
  githubmodels gmi googlevertex gradientai groq helicone heroku huggingface hyperbolic kilo lambdaai llmgateway models nanogpt nebius
  novita novitaai nscale nvidianim oci ollama openrouter ovhcloud poe publishers replicate requesty sagemaker sambanova scaleway
  siliconflow siliconflowcn snowflake together togetherai vercel vercelaigateway vertexai volcengine wandb watsonx workersai
  zenmux`.split(/\s+/),
);
const REGION =
  /^(?:(?:us|eu|ap|apac|au|jp|ca|sa|me|af|global|us-gov)(?:-[a-z]+)*(?:-?\d+)?|[a-z]+-(?:east|west|north|south|central)\d?)$/;

/** Makers by the first word of their models' names. */
const FAMILIES: Readonly<Record<string, string>> = {
  claude: 'anthropic',
  command: 'cohere',
  gemini: 'google',
  gemma: 'google',
  glm: 'zai',
  gpt: 'openai',
  grok: 'xai',
  jamba: 'ai21',
  kimi: 'moonshot',
  llama: 'meta',
  nova: 'amazon',
  phi: 'microsoft',
  titan: 'amazon',
};

export interface NamedModel {
  readonly id: string;
  readonly organization: string | null;
  /** Who serves it. */
  readonly inference: readonly string[] | null;
}

/** Whether what stands before a name agrees with a model: its maker, who serves it, a seller of others' models, or a region. */
export function agreesWith(written: string, { id, organization, inference }: NamedModel): boolean {
  const seller = written.slice(written.lastIndexOf(':') + 1); // Without an upstream, as in `litellm:azure`.
  const plain = plainOf(seller);
  if (GATEWAYS.has(plain) || REGION.test(seller.toLowerCase())) return true;
  const maker = makerFromOrganization(seller);
  const [family = ''] = wordsOf(formsOf(id).find(({ step }) => step === 'prefix')?.text ?? id);
  if (maker === undefined || maker === (makerFromOrganization(organization) ?? FAMILIES[family])) return true;
  return (inference ?? []).some((provider) => plainOf(provider) === plain) || family === plain;
}
