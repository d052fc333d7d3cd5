import {
  type CallToolResult,
  createMcpHandler,
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { API_ERRORS } from '../data/api-errors.ts';
import type { Exchange, Refusal } from './exchange.ts';
import { PROMPTS } from './prompts.ts';
import { RESOURCES } from './resources.ts';
import { HOW_TO_USE } from './tool-text.ts';
import { type Tool, withPresentNames } from './tools/tool.ts';
import { TOOLS } from './tools/tools.ts';

export interface MessageDeps {
  readonly parsedBody: unknown;
  readonly exchange: Exchange;
  /** Of this program, for clients. */
  readonly version: string;
}

/** JSON to clients of the new era, one event to those of the old one; no tool reports progress. */
export function respondToMessage(message: Request, { parsedBody, exchange, version }: MessageDeps): Promise<Response> {
  const handler = createMcpHandler(() => serverFor(exchange, version), {
    maxSubscriptions: 0, // No notifications.
    keepAliveMs: 0,
  });
  return handler.fetch(message, { parsedBody });
}

/** The MCP server of one message; stateless. */
function serverFor(exchange: Exchange, version: string): Server {
  const server = new Server(
    { name: 'modelstats', title: 'modelstats: AI models, benchmarks, rankings and prices', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: HOW_TO_USE },
  );
  const tools = TOOLS.filter(({ access }) => exchange.isAvailable(access));
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(descriptionOf) }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool');
    return callTool(tool, params.arguments ?? {}, exchange);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: RESOURCES.map(({ read: _, ...listed }) => ({ ...listed, mimeType })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params }) => readResource(params.uri, exchange));
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ text: _, arguments: args, ...listed }) => ({ ...listed, arguments: [...args] })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => promptFrom(params.name, params.arguments ?? {}));
  return server;
}

const mimeType = 'text/plain';

async function readResource(uri: string, exchange: Exchange): Promise<ReadResourceResult> {
  const resource = RESOURCES.find((known) => known.uri === uri);
  if (resource === undefined) throw new ResourceNotFoundError(uri, 'There is no such resource');
  const result = await exchange.settled(() => resource.read(exchange));
  if ('done' in result) return { contents: [{ uri, mimeType, text: result.done }] };
  const { status, body } = result.refusal;
  const code = status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidRequest;
  throw new ProtocolError(code, refusalText(result.refusal), body);
}

function promptFrom(name: string, args: Readonly<Record<string, string>>): GetPromptResult {
  const prompt = PROMPTS.find((known) => known.name === name);
  if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such prompt');
  const missing = prompt.arguments.filter(({ name: argument, required }) => required && !args[argument]);
  if (missing.length > 0) {
    const names = missing.map(({ name: argument }) => argument).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `This prompt needs ${names}`);
  }
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ''));
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }],
  };
}

function descriptionOf({ name, title, description, inputSchema, outputSchema }: Tool) {
  // Reading neither destroys nor repeats anything.
  const annotations = { readOnlyHint: true, openWorldHint: false };
  return { name, title, description, inputSchema, outputSchema, annotations };
}

async function callTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  exchange: Exchange,
): Promise<CallToolResult> {
  const result = await exchange.settled(() => tool.call(withPresentNames(args, tool), exchange));
  if ('refusal' in result) return { ...contentFrom(refusalText(result.refusal), result.refusal.body), isError: true };
  return contentFrom(result.done.text, result.done.body);
}

function contentFrom(text: string, body: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...body } };
}

/** What to do, and the body of the HTTP response. */
function refusalText({ body }: Refusal): string {
  const envelope = JSON.stringify(body);
  const { code } = Object(body['error']) as { readonly code?: keyof typeof API_ERRORS }; // Absent in a list of problems.
  const help = code === undefined ? 'Correct these arguments and call again.' : API_ERRORS[code].help;
  return `Refused, at no cost. ${help}\n${envelope}`;
}
