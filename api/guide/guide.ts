/**
 * The documentation at `/docs` (specification "Documentation"). Its text is in `pages/`; plans, limits, routes and fields come from the
 * program. Pages work without a script.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { PUBLIC_REQUESTS } from '../accounts/address-limit.ts';
import type { AddSurface } from '../data/app.ts';
import { Asset, addVersionedAssets, bindAsset, versionOf } from '../server/assets.ts';
import { bindRoute } from '../server/bind-route.ts';
import type { ShowErrorPage } from '../server/pages/error-pages.ts';
import { readStyleSheet } from '../server/pages/styles.ts';
import type { BaseUrlOf } from '../server/urls.ts';
import type { Content } from './content.ts';
import { conditionsFrom, type GuideFacts } from './guide-facts.ts';
import { framePage, GUIDE_HEADERS } from './layout.tsx';
import { chaptersOf, GUIDE, type GuidePages, MIRROR_PROGRAM, pathOf } from './pages.ts';
import { missingPage, searchRoute } from './search.tsx';

export interface GuideSettings extends GuideFacts {
  /** The base path; empty for none. */
  readonly root: string;
}

export interface Guide {
  readonly surface: AddSurface;
  readonly showErrorPage: ShowErrorPage;
  /** For tests. */
  readonly pages: () => Promise<GuidePages>;
}

/** Addresses whose pages are cached, about a megabyte each; only one is used if `MODELSTATS_PUBLIC_URL` is set. */
const ADDRESSES_MAX = 8;

const [FOLDER, STYLES, SCRIPT] = ['docs/assets', 'guide.css', 'copy-code.js'];

export function makeGuide(settings: GuideSettings): Guide {
  const { root } = settings;
  const files = {
    [STYLES]: readStyleSheet(join(import.meta.dirname, STYLES)),
    [SCRIPT]: readFileSync(join(import.meta.dirname, SCRIPT)),
  };
  const pathOfFile = (name: string) => `${root}/${FOLDER}/${name}?v=${versionOf(files)}`;
  let loaded: Promise<Content> | undefined;
  const load = () => {
    loaded ??= import('./content.ts').then(({ renderContent }) =>
      renderContent({ ...settings, stylesheet: pathOfFile(STYLES), script: pathOfFile(SCRIPT) }),
    );
    return loaded;
  };
  return {
    pages: async () => (await load()).pages,
    showErrorPage: async ({ title, body, path }) => ({
      html: framePage((await load()).frame, body, { title, path }),
      headers: GUIDE_HEADERS,
    }),
    surface: async (app, { baseUrlOf, limitAddress, missing }) => {
      const limit = (address: string) =>
        limitAddress(address, { what: PUBLIC_REQUESTS, perMinute: settings.publicRequestsMax });
      addVersionedAssets(app, FOLDER, { files });
      bindDocuments(app, { names: chaptersOf(conditionsFrom(settings)).map(({ name }) => name), load, baseUrlOf });
      bindRoute(app, searchRoute({ root, load, limit, baseUrlOf }));
      missing.add(root + GUIDE, missingPage({ root, load, limit }));
    },
  };
}

interface DocumentsDeps {
  readonly names: readonly string[];
  readonly load: () => Promise<Content>;
  readonly baseUrlOf: BaseUrlOf;
}

/** Each document is made and compressed once per address. */
function bindDocuments(app: FastifyInstance, { names, load, baseUrlOf }: DocumentsDeps): void {
  const cached = new LRUCache<string, Map<string, Asset>>({ max: ADDRESSES_MAX });
  const assetOf = async (name: string, request: FastifyRequest) => {
    const { documents } = await load();
    const baseUrl = baseUrlOf(request);
    const ofAddress = cached.get(baseUrl) ?? new Map<string, Asset>();
    cached.set(baseUrl, ofAddress);
    const document = documents.get(name);
    if (document === undefined) throw new Error(`there is no document ${name}`);
    const asset =
      ofAddress.get(name) ?? new Asset(document.type, Buffer.from(document.textFor(baseUrl)), document.headers);
    ofAddress.set(name, asset);
    return asset;
  };
  for (const name of names) {
    const path = pathOf(name);
    bindAsset(app, path === GUIDE ? [path, `${path}/`] : [path], (request) => assetOf(name, request));
  }
  if (names.includes('mirror')) {
    bindAsset(app, [`${GUIDE}/${MIRROR_PROGRAM}`], (request) => assetOf(MIRROR_PROGRAM, request));
  }
}
