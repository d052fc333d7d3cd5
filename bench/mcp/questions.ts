/**
 * What agents pay for ten questions that people ask: `npx tsx bench/mcp/questions.ts STORE NOW` prints a table of
 * their calls, units and tokens. STORE holds the 200 real days up to 2026-06-29, NOW is 2026-06-30T06:00:00Z; the calls are those that led there.
 */
import { mcpSurface } from '../../api/mcp/mcp.ts';
import { tokensIn } from '../../api/mcp/tool-text.ts';
import { listen } from '../../test/support/api/listen.ts';
import { openApi } from '../../test/support/api/open-api.ts';
import { LIST_TOOLS, sendMessage, toolCall } from '../../test/support/mcp/messages.ts';

interface RouteArguments {
  readonly asked: string;
  readonly calls: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[];
}

const FIRST_TEN_OF_TEXT = [
  ...['claude-fable-5', 'claude-opus-4-6-thinking', 'claude-opus-4-7-thinking', 'claude-opus-4-6', 'claude-opus-4-7'],
  ...['muse-spark', 'gemini-3.1-pro-preview', 'gemini-3-pro', 'claude-opus-4-8-thinking', 'gpt-5.5-high'],
];
const QUESTIONS: readonly RouteArguments[] = [
  {
    asked: 'Who leads coding?',
    calls: [
      ['get-rankings', { category: 'coding' }],
      ['get-rankings', { category: 'code' }],
    ],
  },
  {
    asked: 'Which of the ten best models for text is the cheapest?',
    calls: [
      ['get-rankings', { category: 'text' }],
      ['compare-models', { models: FIRST_TEN_OF_TEXT }],
    ],
  },
  { asked: 'Which models are new this week?', calls: [['list-updates', { days: 7 }]] },
  {
    asked: 'Which prices changed this week?',
    calls: [['get-changes', { since: '2026-06-22', entity_type: 'pricing' }]],
  },
  {
    asked: 'How did the price of Claude Opus 4.6 at Anthropic change?',
    calls: [
      ['resolve-model', { name: 'Claude Opus 4.6' }],
      ['get-history', { model: 'claude-opus-4-6', kind: 'pricing', provider: 'anthropic' }],
    ],
  },
  {
    asked: 'Which models of OpenRouter take more than 200,000 tokens, the longest first?',
    calls: [['list-models', { provider: 'openrouter', min_context: 200_001, sort: '-context_length', limit: 20 }]],
  },
  {
    asked: 'Claude Opus 4.6 or GPT-5.5?',
    calls: [
      ['resolve-model', { name: 'Claude Opus 4.6' }],
      ['resolve-model', { name: 'GPT-5.5' }],
      ['compare-models', { models: ['claude-opus-4-6', 'gpt-5.5'] }],
    ],
  },
  { asked: 'Is Kimi K2.7 Code new, and who serves it?', calls: [['resolve-model', { name: 'Kimi K2.7 Code' }]] },
  {
    asked: 'Who was first for text in June?',
    calls: [['get-rankings-history', { category: 'text', top: 3, from: '2026-06-01', to: '2026-06-30' }]],
  },
  {
    asked: 'Who is best on Aider’s polyglot benchmark?',
    calls: [
      ['list-benchmarks', { category: 'code' }],
      ['list-scores', { benchmark: 'aider-polyglot-pass-rate-2', sort: '-value', limit: 10 }],
    ],
  },
];

const [store, now] = process.argv.slice(2);
if (store === undefined || now === undefined) throw new Error('usage: questions.ts STORE NOW');
const api = await openApi({
  store,
  now,
  accounts: {},
  settings: { backstop: { '/mcp': 1_000_000 } },
  surfaces: async () => [mcpSurface({ publicUrl: undefined, version: '1', oauth: undefined })],
});
const { key } = await api.accounts.add({ plan: 'commercial', contract: { burst_per_minute: 1_000_000 } });
const url = `${await listen(api.app)}/mcp`;

interface Result {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

async function ask(message: object): Promise<{ readonly result: Result; readonly unitsUsed: number }> {
  const response = await sendMessage(url, message, { key });
  const body = (await response.text()).replace(/^[\s\S]*?data: (?=\{)/, '');
  return { result: JSON.parse(body).result, unitsUsed: Number(response.headers.get('x-quota-used')) };
}

console.log(
  '| question | calls | units | tokens of text | tokens of structured content |\n| --- | --- | --- | --- | --- |',
);
for (const { asked, calls } of QUESTIONS) {
  const told: string[] = [];
  let [text, data] = [0, 0];
  const before = (await ask(LIST_TOOLS)).unitsUsed;
  for (const [tool, given] of calls) {
    const { result } = await ask(toolCall(tool, given));
    if (result.isError === true) throw new Error(`${tool}: ${result.content[0]?.text}`);
    if (process.env['SHOW'] !== undefined) console.error(`## ${asked}\n${result.content[0]?.text}\n`);
    text += tokensIn(result.content[0]?.text ?? '');
    data += tokensIn(JSON.stringify(result.structuredContent));
    told.push(`\`${tool}\``);
  }
  const units = (await ask(LIST_TOOLS)).unitsUsed - before;
  console.log(`| ${asked} | ${told.join(', ')} | ${units} | ${text} | ${data} |`);
}
await api.close();
