/** The service's own address as people see it, such as `https://stats.example.com/api`, and the path of the console below it. */
export interface ConsolePlace {
  /** Scheme, host and base path, without a slash at the end. */
  readonly publicUrl: string;
  /** Such as `/console`. */
  readonly home: string;
}

/** Longest path to go to, in characters: the requests of programs that want to be connected are some thousand. */
export const NEXT_LENGTH_MAX = 4_000;

/** The path of the console's first page, with the base path. */
export function homePath({ publicUrl, home }: ConsolePlace): string {
  return new URL(`${publicUrl}${home}`).pathname;
}

/**
 * Where somebody goes who has signed in: a path of the console with its query, as a browser would understand it. Whatever else was
 * asked for (another host, another scheme, a path outside of the console) becomes the console's first page: nobody is sent away
 * from here by a link that looks like ours.
 */
export function nextPath(wanted: string | undefined, place: ConsolePlace): string {
  const first = homePath(place);
  if (wanted === undefined || wanted.length > NEXT_LENGTH_MAX || !wanted.startsWith('/')) return first;
  const { origin } = new URL(place.publicUrl);
  if (!URL.canParse(wanted, origin)) return first;
  const url = new URL(wanted, origin); // Resolves dots, backslashes and `//host` as a browser does.
  const isBelow = url.pathname === first || url.pathname.startsWith(`${first}/`);
  return url.origin === origin && isBelow && !url.pathname.includes('//') ? `${url.pathname}${url.search}` : first;
}
