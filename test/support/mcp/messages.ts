/** Messages as they are sent, without a client. */

export const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export interface MessageOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

/** Sends a message; without a key it says who it is to nobody. */
export function sendMessage(url: string, message: unknown, options: MessageOptions = {}): Promise<Response> {
  const { key, headers = {}, method = 'POST', signal } = options;
  return fetch(url, {
    method,
    ...(signal === undefined ? {} : { signal }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(method === 'POST' ? { body: typeof message === 'string' ? message : JSON.stringify(message) } : {}),
  });
}

export function toolCall(name: string, args: Readonly<Record<string, unknown>> = {}) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}
