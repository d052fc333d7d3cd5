/** Both official clients of MCP, as one: that of the protocol's newest era, and that of the one before. */
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import { bearer } from '../api/test-accounts.ts';

export const ERAS = ['new', 'old'] as const;
export type Era = (typeof ERAS)[number];

export type TestClient = Awaited<ReturnType<typeof clientOn>>;

/** A client that has connected to `url` with a key, and listed the tools, so that it checks what they answer; closed after the test. */
export function connect(era: Era, url: string, key: string) {
  const requestInit = { headers: bearer(key) };
  const address = new URL(url);
  return clientOn(
    era === 'new' ? new NewTransport(address, { requestInit }) : new OldTransport(address, { requestInit }),
  );
}

/** A program to start, as hosts are configured. */
export interface HostedServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Such a client that has started a server beside itself, on its standard input and output; ended after the test. */
export function connectStdio(era: Era, { command, args, env }: HostedServer) {
  const started = { command, args: [...args], env: { ...env }, stderr: 'ignore' as const };
  return clientOn(era === 'new' ? new NewStdio(started) : new OldStdio(started));
}

const INFO = { name: 'test', version: '1' };

async function clientOn(transport: NewTransport | NewStdio | OldTransport | OldStdio) {
  const isNew = transport instanceof NewTransport || transport instanceof NewStdio;
  const client = isNew
    ? new NewClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    : new OldClient(INFO);
  onTestFinished(() => client.close());
  // The old one's types were made without `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<NewClient['connect']>[0] & Parameters<OldClient['connect']>[0]);
  await client.listTools();
  return {
    call: async (name: string, args: Record<string, unknown> = {}) =>
      responseFrom(await client.callTool({ name, arguments: args })),
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    readResource: async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return contents.map((content) => ('text' in content ? content.text : '')).join('');
    },
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    getPrompt: async (name: string, args: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('');
    },
  };
}

function responseFrom(result: object) {
  const { content, structuredContent, isError } = result as ToolResult; // What every tool of ours answers.
  return { text: content.map(({ text }) => text).join('\n'), data: structuredContent, isError: isError ?? false };
}

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}
