/** Names of providers at models.dev, OpenRouter and genai-prices that LiteLLM spells differently. Others are the same in both. */
export const LITELLM_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'amazon-bedrock': 'bedrock',
    aws: 'bedrock',
    alibaba: 'dashscope',
    'cloudflare-workers-ai': 'cloudflare',
    'fireworks-ai': 'fireworks_ai',
    fireworks: 'fireworks_ai',
    friendli: 'friendliai',
    'github-copilot': 'github_copilot',
    'github-models': 'github',
    google: 'gemini',
    'google-vertex': 'vertex_ai-language-models',
    'google-vertex-anthropic': 'vertex_ai-anthropic_models',
    llama: 'meta_llama',
    moonshotai: 'moonshot',
    'novita-ai': 'novita',
    nvidia: 'nvidia_nim',
    together: 'together_ai',
    togetherai: 'together_ai',
    vercel: 'vercel_ai_gateway',
    'x-ai': 'xai',
    xiaomi: 'xiaomi_mimo',
  }),
);

/** LiteLLM's names of providers that are makers: the day on which a model retires is theirs. */
export const MAKERS: ReadonlySet<string> = new Set(['anthropic', 'gemini', 'moonshot', 'openai', 'perplexity', 'xai']);

/** Models that are keys of LiteLLM without their provider. */
export const PLAIN_KEYS: readonly { readonly providers: RegExp; readonly models: RegExp }[] = [
  { providers: /^(ai21|anthropic|cohere|cohere_chat|nlp_cloud|openai|text-completion-openai)$/, models: /./ },
  // Maker and model: `anthropic.claude-…`, `us.meta.llama…`.
  { providers: /^(amazon-bedrock|aws|bedrock|bedrock_converse)$/, models: /^[a-z0-9]+\.[a-z]/ },
  { providers: /^(google-vertex|vertex_ai-(chat|code|embedding|language|text|vision)-models)$/, models: /^[^/]+$/ },
];
