import { type Finding, fail, ok, type Setup, warn } from '../finding.ts';
import { isSet } from '../use.ts';
import { urlOf } from './ports.ts';

const TIMEOUT_MS = 3_000;

/** Whether who is meant to can read `/metrics`, where somebody is. */
export async function checkMetrics(setup: Setup): Promise<Finding | undefined> {
  const { config } = setup;
  if (!isSet(setup, 'METRICS_TOKEN', 'METRICS_OPEN', 'METRICS_PORT')) return undefined;
  const { METRICS_HOST, METRICS_PORT, METRICS_OPEN: isOpen, METRICS_TOKEN: token } = config;
  const own = METRICS_PORT === undefined ? undefined : urlOf(METRICS_HOST, METRICS_PORT);
  const url = `${own ?? `${urlOf(config.HOST, config.PORT)}${config.BASE_PATH}`}/metrics`;
  const status = await statusOf(url, token);
  if (status !== undefined && status !== 200)
    return fail(`${url} answers ${status}`, 'what runs there was started with other settings: start it again');
  const told = status === undefined ? `${url} will be there` : `${url} can be read`;
  if (isOpen && own === undefined)
    return warn(`${told}, by anybody`, 'set MODELSTATS_METRICS_TOKEN or MODELSTATS_METRICS_PORT instead');
  return ok(`${told}, by ${token === undefined ? 'whoever reaches it' : 'whoever has the token'}`);
}

/** Undefined where nobody listens. */
async function statusOf(url: string, token: string | undefined): Promise<number | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    ({ status }) => status,
    () => undefined,
  );
}
