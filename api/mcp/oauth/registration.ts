import { isThisMachine } from '../../server/urls.ts';

/**
 * What of a registration (RFC 7591) is passed on. No keys of clients and no address of them: nothing is fetched for whoever asks. And no
 * scope: every program may ask for all that there is.
 */
const FIELDS = [
  'client_name',
  'client_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
  'grant_types',
  'response_types',
  'software_id',
  'software_version',
  'application_type',
];

/**
 * A registration as the provider takes it. Programs on people's own machines, which come back to this computer or to an app, are
 * `native` whether or not they say so: many don't, and as `web` they would be refused. So are those that name a page on the web as well.
 */
export function registrationFrom(body: unknown): Readonly<Record<string, unknown>> {
  const given = Object.entries(Object(body)).filter(([name]) => FIELDS.includes(name));
  const registration = Object.fromEntries(given);
  const { redirect_uris: redirects, application_type: type } = registration;
  if (type !== undefined || !Array.isArray(redirects)) return registration;
  return { ...registration, application_type: redirects.some(isOfMachine) ? 'native' : 'web' };
}

function isOfMachine(redirect: unknown): boolean {
  if (typeof redirect !== 'string' || !URL.canParse(redirect)) return false;
  const url = new URL(redirect);
  return url.protocol === 'http:' ? isThisMachine(url) : url.protocol !== 'https:';
}
