import { type ConsoleRoute, pathOf } from './routes.ts';

/**
 * Where forms are sent to that have no page of their own there, and the page above. A browser asks for it that opens the address of
 * such a form's answer again.
 */
export function formsWithoutPage(
  routes: readonly ConsoleRoute[],
): readonly { readonly at: string; readonly to: string }[] {
  const pages = new Set(routes.filter(({ method }) => method === 'GET').map(pathOf));
  const pageAbove = (path: string): string => (path === '' || pages.has(path) ? path : pageAbove(parentOf(path)));
  const forms = new Set(routes.filter(({ method }) => method === 'POST').map(pathOf));
  return [...forms].filter((at) => !pages.has(at)).map((at) => ({ at, to: pageAbove(parentOf(at)) }));
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
