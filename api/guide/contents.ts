/** A page of the guide. */
export interface Chapter {
  /** Of its file in `pages/`, without `.md`, and of its address; `index` is the guide's own. */
  readonly name: string;
  /** The condition without which it isn't there; see {@link Words}. */
  readonly needs?: string;
}

export interface Part {
  readonly title: string;
  readonly chapters: readonly Chapter[];
}

/** The name of the page at the guide's root. */
export const INDEX = 'index';

/** Every page, in the order of the navigation. */
export const PARTS: readonly Part[] = [
  { title: 'Begin', chapters: [{ name: INDEX }, { name: 'authentication' }, { name: 'limits' }] },
  {
    title: 'Read the data',
    chapters: [{ name: 'records' }, { name: 'lists' }, { name: 'history', needs: 'history' }],
  },
  { title: 'Keep a copy', chapters: [{ name: 'mirror', needs: 'mirror' }, { name: 'sync' }] },
  {
    title: 'Be told',
    chapters: [
      { name: 'webhooks', needs: 'webhooks' },
      { name: 'without-a-key', needs: 'embeds' },
      { name: 'agents', needs: 'mcp' },
    ],
  },
  { title: 'Look up', chapters: [{ name: 'routes' }, { name: 'clients' }, { name: 'changelog' }] },
];
