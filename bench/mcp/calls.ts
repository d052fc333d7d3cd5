import { join } from 'node:path';
import { runLoad } from '../api/run-load.ts';
import { type Server, startApi } from '../api/servers.ts';
import { type ApiBenchOptions, prepareApi } from '../api/stages.ts';
import { median, type ResultTable } from '../results.ts';

const CONNECTIONS = 16;
const CHANGED = 0.01;
const NEW_REVISION = '2026-07-28';
const OLD_REVISION = '2025-11-25';

/** What is asked of the route, and of the tool that stands for it. */
interface Asked {
  readonly path: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Calls of tools whose answer is at hand, against the routes that they ask, as the clients of both eras send them. */
export async function measureCalls(scores: number, options: ApiBenchOptions): Promise<ResultTable> {
  const stage = await prepareApi({ scores, changed: CHANGED }, options);
  const api = await startApi({ store: stage.after, view: join(stage.folder, 'view'), env: options.env });
  const rows: (readonly string[])[] = [];
  for (const asked of await whatIsAsked(api, options)) rows.push(await compare(api, asked, options));
  await api.stop();
  return {
    title: 'Tool calls over MCP, warm, against the same routes over HTTP',
    columns: [
      ...[
        'tool',
        'route requests/s',
        'old era calls/s',
        'ratio',
        'each round',
        'new era calls/s',
        'ratio',
        'each round',
      ],
      ...['route processor µs', 'old era µs', 'new era µs'],
    ],
    rows,
    note:
      `One server; one client requests in turn over ${CONNECTIONS} kept connections, with a key, burst limit and durable quota. Old era: revision ` +
      `${OLD_REVISION}, an event stream; new era: ${NEW_REVISION}, JSON. Medians of ${options.repeats} rounds of ${options.seconds} s.`,
  };
}

async function whatIsAsked({ origin }: Server, { headers }: ApiBenchOptions): Promise<readonly Asked[]> {
  const response = await fetch(`${origin}/v1/models?limit=1`, { headers });
  const { models } = (await response.json()) as { readonly models: readonly { readonly id: string }[] }; // As the route has it.
  const [{ id } = { id: '' }] = models;
  return [
    { path: `/v1/models/${encodeURIComponent(id)}`, tool: 'get-model', args: { model: id } },
    { path: '/v1/models?limit=50', tool: 'list-models', args: { limit: 50 } },
    { path: '/v1/rankings?category=text', tool: 'get-rankings', args: { category: 'text' } },
  ];
}

interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
}

async function compare(api: Server, { path, tool, args }: Asked, options: ApiBenchOptions): Promise<readonly string[]> {
  const { headers } = options;
  const ways = {
    route: { paths: [path], headers },
    old: callOf({ tool, args, headers }),
    new: newCallOf({ tool, args, headers }),
  };
  const rounds: Readonly<Record<keyof typeof ways, Round>>[] = [];
  const run = (way: keyof typeof ways, seconds: number) => round(api, { ...ways[way], seconds });
  for (const way of ['route', 'old', 'new'] as const) await run(way, options.seconds / 4);
  for (let index = 0; index < options.repeats; index += 1) {
    const { seconds } = options;
    rounds.push({ route: await run('route', seconds), old: await run('old', seconds), new: await run('new', seconds) });
  }
  const middle = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value));
  const ratios = (way: 'old' | 'new') => rounds.map((each) => each[way].perSecond / each.route.perSecond);
  const told = (way: 'old' | 'new') => [
    middle((each) => each[way].perSecond).toFixed(0),
    median(ratios(way)).toFixed(2),
    ratios(way)
      .map((ratio) => ratio.toFixed(2))
      .join(' '),
  ];
  options.progress(`  ${tool}: old ${told('old').join(' ')}, new ${told('new').join(' ')}`);
  return [
    `\`${tool}\``,
    middle((each) => each.route.perSecond).toFixed(0),
    ...told('old'),
    ...told('new'),
    ...(['route', 'old', 'new'] as const).map((way) => middle((each) => each[way].cpuUs).toFixed(0)),
  ];
}

interface Call extends Pick<Asked, 'tool' | 'args'> {
  readonly headers: Readonly<Record<string, string>>;
}

function callOf({ tool, args, headers }: Call, more: object = {}) {
  const params = { name: tool, arguments: args, ...more };
  return {
    paths: ['/mcp'],
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': OLD_REVISION,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

function newCallOf(call: Call) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': NEW_REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { headers, ...rest } = callOf(call, { _meta: meta });
  const told = { 'MCP-Protocol-Version': NEW_REVISION, 'Mcp-Method': 'tools/call', 'Mcp-Name': call.tool };
  return { ...rest, headers: { ...headers, ...told } };
}

async function round(api: Server, plan: Omit<Parameters<typeof runLoad>[0], 'origin' | 'connections'>): Promise<Round> {
  const before = await api.cpuMs();
  const { requests, wallMs } = await runLoad({ origin: api.origin, connections: CONNECTIONS, ...plan });
  return { perSecond: (requests / wallMs) * 1000, cpuUs: (((await api.cpuMs()) - before) * 1000) / requests };
}
