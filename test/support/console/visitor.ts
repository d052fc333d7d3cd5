import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A browser as far as forms and cookies go, for a console that is asked without a network. */
export class Visitor {
  readonly #app: FastifyInstance;
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(app: FastifyInstance, publicUrl: string) {
    this.#app = app;
    this.#origin = new URL(publicUrl).origin;
  }

  /** Takes cookies, as `Set-Cookie` has them. */
  with(cookies: readonly string[]): this {
    for (const text of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return this;
  }

  /** What it would send as Cookie. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<LightMyRequestResponse> {
    return this.#send({ method: 'GET', url, headers });
  }

  /** Sends a form with the token of a page that it looks at first; `from` is the sign-in page unless told. */
  async post(
    url: string,
    fields: Fields = {},
    { from = '/console/sign-in', headers = {} } = {},
  ): Promise<LightMyRequestResponse> {
    return this.postWith(await this.token(from), url, fields, headers);
  }

  postWith(
    token: string,
    url: string,
    fields: Fields,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<LightMyRequestResponse> {
    const form = new URLSearchParams({ _csrf: token });
    for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) form.append(name, one);
    const own = { origin: this.#origin, 'sec-fetch-site': 'same-origin' };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#send({ method: 'POST', url, payload: form.toString(), headers: { ...type, ...own, ...headers } });
  }

  async token(url: string): Promise<string> {
    const { body, statusCode, headers } = await this.get(url);
    const [, token] = /name="_csrf" value="([^"]+)"/.exec(body) ?? [];
    if (token === undefined)
      throw new Error(`${url} has no form: ${statusCode} ${headers.location ?? body.slice(0, 500)}`);
    return token;
  }

  async #send(request: InjectOptions): Promise<LightMyRequestResponse> {
    const answer = await this.#app.inject({
      ...request,
      headers: { host: new URL(this.#origin).host, cookie: this.cookie, ...request.headers },
    });
    this.with([answer.headers['set-cookie'] ?? []].flat());
    return answer;
  }
}
