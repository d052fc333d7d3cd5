/** Query parameters whose value opens something, or would if it were believed here. */
const SECRET = /^(api_?key|key|(access_?)?token|auth(orization)?|bearer|secret|password|signature)$/i;

/**
 * A request's URL as the log may have it: without keys, which don't belong there but get there, and without signatures.
 *
 * @param keyPrefix how a key begins, in lower case
 */
export function loggedUrl(url: string, keyPrefix: string): string {
  const withoutKey = (text: string): string => (hasKey(text, keyPrefix) ? '…' : text);
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  const shownPath = path.split('/').map(withoutKey).join('/');
  if (at === -1) return shownPath;
  return `${shownPath}?${url
    .slice(at + 1)
    .split('&')
    .map((parameter) => withoutSecret(parameter, withoutKey))
    .join('&')}`;
}

function withoutSecret(parameter: string, withoutKey: (text: string) => string): string {
  const [name = ''] = parameter.split('=', 1);
  if (SECRET.test(decoded(name)) && parameter !== name) return `${name}=…`;
  if (withoutKey(name) !== name || name === parameter) return withoutKey(parameter);
  return `${name}=${withoutKey(parameter.slice(name.length + 1))}`;
}

function hasKey(text: string, keyPrefix: string): boolean {
  return decoded(text).toLowerCase().includes(keyPrefix);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
