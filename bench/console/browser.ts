import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** As much of a browser as signing in and asking for pages takes. */
export class Browser {
  readonly #console: string;
  readonly #cookies = new Map<string, string>();

  /** @param origin `http://127.0.0.1:port` */
  constructor(origin: string) {
    this.#console = `${origin}/console`;
  }

  /** Signs in by a link that the server writes into this folder of mails. */
  async signIn(email: string, mails: string): Promise<void> {
    await this.#post('/sign-in', { email }, '/sign-in');
    const token = await newestToken(mails);
    await this.#post('/sign-in/link', { token }, '/sign-in');
  }

  /** Asks for a page below the console; throws where it isn't a 200. */
  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const response = await this.#fetch(path, { headers });
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return response;
  }

  async #post(path: string, fields: Readonly<Record<string, string>>, from: string): Promise<void> {
    const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(await (await this.get(from)).text()) ?? [];
    const body = new URLSearchParams({ ...fields, _csrf: token });
    const response = await this.#fetch(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } });
    if (response.status !== 303) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...Object.fromEntries(new Headers(init.headers)), cookie };
    const response = await fetch(this.#console + path, { ...init, headers, redirect: 'manual' });
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}

/** The token in the newest mail's link. Mails leave behind the answer, so it is waited for. */
async function newestToken(folder: string): Promise<string> {
  for (let look = 0; look < 100; look += 1) {
    const [newest] = (await readdir(folder).catch(() => [])).sort().reverse();
    const text = newest === undefined ? '' : await readFile(join(folder, newest), 'utf8');
    const [, token] = /token=([\w.-]+)/.exec(text.replaceAll('=\n', '').replaceAll('=3D', '=')) ?? [];
    if (token !== undefined) return token;
    await setTimeout(50);
  }
  throw new Error('no mail came');
}
