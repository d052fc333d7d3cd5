/** Query parameters whose value opens something, or would if it were believed here. */
const SECRET = /^(api_?key|key|(access_?)?token|auth(orization)?|bearer|secret|password|signature)$/i;
/** How an API key begins; test/serve/log.test.ts holds the log against real ones. */
const API_KEY = 'msk_';

/** A request's URL as the log may have it: without keys, which don't belong there but get there, and without signatures. */
export function loggedUrl(url: string): string {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  const shownPath = path.split('/').map(withoutKey).join('/');
  if (at === -1) return shownPath;
  return `${shownPath}?${url
    .slice(at + 1)
    .split('&')
    .map(withoutSecret)
    .join('&')}`;
}

function withoutSecret(parameter: string): string {
  const [name = ''] = parameter.split('=', 1);
  if (SECRET.test(decoded(name)) && parameter !== name) return `${name}=…`;
  return hasKey(name) || name === parameter
    ? withoutKey(parameter)
    : `${name}=${withoutKey(parameter.slice(name.length + 1))}`;
}

function withoutKey(text: string): string {
  return hasKey(text) ? '…' : text;
}

function hasKey(text: string): boolean {
  return decoded(text).toLowerCase().includes(API_KEY);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
