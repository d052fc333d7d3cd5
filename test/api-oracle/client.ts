/** A caller of the API: sends what a request's target says, as any HTTP client would. */
export interface Client {
  send(target: string, options?: SendOptions): Promise<Answer>;
  /** Fetches a URL that an answer gave. */
  download(url: string): Promise<{ readonly status: number; readonly body: Buffer }>;
}

export interface SendOptions {
  readonly method?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined: the text is not JSON. */
  readonly body: unknown;
}

export function createClient(baseUrl: string): Client {
  const base = baseUrl.replace(/\/$/, '');
  return {
    send: async (target, { method = 'GET' } = {}) => {
      const response = await fetch(`${base}${target}`, { method, redirect: 'manual' });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parseJson(text) };
    },
    download: async (url) => {
      const response = await fetch(new URL(url, `${base}/`), { redirect: 'error' });
      return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
    },
  };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
