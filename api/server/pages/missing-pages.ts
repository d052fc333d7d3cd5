import type { FastifyRequest } from 'fastify';
import type { MissingPage } from '../errors/error-handling.ts';
import { HttpError } from '../errors/http-error.ts';
import { isPathBelow } from '../request-checks.ts';
import { prefersHtml } from './prefers-html.ts';

/** Makes a page for people of a request for one that isn't there; undefined: they are told as programs are. */
export type ShowMissing = (request: FastifyRequest) => Promise<MissingPage | undefined>;

/** What people see in place of the error envelope where there is nothing, by the folders of those who show it. */
export class MissingPages {
  readonly #shown = new Map<string, ShowMissing>();

  /** @param folder with the base path */
  add(folder: string, show: ShowMissing): void {
    this.#shown.set(folder, show);
  }

  /** The page for whoever is told of an error; undefined where it is no 404, nobody shows one there, or a program asks. */
  find(thrown: unknown, request: FastifyRequest): Promise<MissingPage | undefined> | undefined {
    const { method, url, headers } = request;
    if (!(thrown instanceof HttpError) || thrown.code !== 'not_found') return undefined;
    if ((method !== 'GET' && method !== 'HEAD') || !prefersHtml(headers.accept)) return undefined;
    for (const [folder, show] of this.#shown) if (isPathBelow(folder, url)) return show(request);
    return undefined;
  }
}
