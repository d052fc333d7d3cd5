/**
 * True for a URL whose path is `prefix` or lies below it, as the router sees it: percent-encoding undone (`/%761/models`), an
 * absolute URL's scheme and host left out. Otherwise an unknown route could be told from one that is switched off.
 */
export function isPathBelow(prefix: string, url: string): boolean {
  const path = decodedPath(url);
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The length of the longest part between slashes. */
export function longestSegment(url: string): number {
  return Math.max(
    ...decodedPath(url)
      .split('/')
      .map((segment) => segment.length),
  );
}

/** Encoded slashes and question marks stay encoded: they are no separators. */
function decodedPath(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return path; // The router has refused it already.
  }
}
