/** Frequent questions as prompts; each names the tools to call. */

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Leaves out arguments that are not given. */
  readonly text: (args: Readonly<Record<string, string>>) => string;
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'model-for-a-budget',
    title: 'Which model for a budget',
    description: 'The best ranked models of a category that cost no more than a price',
    arguments: [
      { name: 'category', description: 'A ranked category, as modelstats://categories lists them', required: true },
      {
        name: 'max_input_price',
        description: 'Per million input tokens, in the currency of the prices',
        required: true,
      },
      { name: 'max_output_price', description: 'Per million output tokens, in that currency', required: false },
    ],
    text: ({ category, max_input_price: input, max_output_price: output }) =>
      `Which AI models are best in the category "${category}" for at most ${input} per million input tokens${
        output === undefined ? '' : ` and ${output} per million output tokens`
      }? Use get-rankings for the category and list-models with max_input_price${
        output === undefined ? '' : ' and max_output_price'
      }, then get-model or compare-models for those in both. Give a short table with rank, price with currency and provider, and name the day of the data.`,
  },
  {
    name: 'what-changed',
    title: 'Recent changes',
    description: 'New models of the last days, and rises and falls in a ranking',
    arguments: [
      { name: 'days', description: 'How many days back, 1 to 30; default: 7', required: false },
      { name: 'category', description: 'A ranked category; default: no ranking', required: false },
    ],
    text: ({ days = '7', category }) =>
      `What changed among AI models in the last ${days} days? Use list-updates for new models${
        category === undefined
          ? ''
          : `, and get-rankings-history with category "${category}" for who rose and fell among the first ten`
      }. Say what is not known rather than guess.`,
  },
  {
    name: 'compare-two',
    title: 'Compare two models',
    description: 'Two models side by side: prices, ranks and shared benchmarks',
    arguments: [
      { name: 'first', description: 'A model, as you would write it', required: true },
      { name: 'second', description: 'Another one', required: true },
    ],
    text: ({ first, second }) =>
      `Compare the AI models "${first}" and "${second}". Find their ids with resolve-model, ask me if one is not clear, then use compare-models. Say where each is ahead and what it costs, and name the day of the data.`,
  },
  {
    name: 'price-history',
    title: 'Price history of a model',
    description: 'How the price of one model changed, at one provider or all of them',
    arguments: [
      { name: 'model', description: 'A model, as you would write it', required: true },
      { name: 'provider', description: 'A provider, as modelstats://providers lists them', required: false },
    ],
    text: ({ model, provider }) =>
      `How did the price of the AI model "${model}"${
        provider === undefined ? '' : ` at ${provider}`
      } change? Find its id with resolve-model, then use get-history with kind "pricing"${
        provider === undefined ? '' : ` and provider "${provider}"`
      }. List the days on which a price changed, per million tokens with the currency, and say which days have no record.`,
  },
];
