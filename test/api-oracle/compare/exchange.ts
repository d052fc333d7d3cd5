/** One request on its way through the comparison, and the comparison of an answer that succeeded. */
import type { Answer, Client } from '../client.ts';
import type { ApiState, JsonObject } from '../expected.ts';
import type { ApiRequest } from '../routes.ts';
import { lastNight } from '../world.ts';
import { type Difference, findDifference, findKeyOrderDifference, isObject } from './difference.ts';
export interface Exchange {
  readonly client: Client;
  readonly state: ApiState;
  readonly request: ApiRequest;
}

/** Undefined: all as it must be. */
export type Verdict = Difference | undefined;

export function send({ client, request }: Exchange, target: string): Promise<Answer> {
  return client.send(target, { method: request.method });
}

/** A 200 with this body; the answer says how fresh it is. */
export function compareBody(
  { state, request }: Exchange,
  target: string,
  response: Answer,
  expected: JsonObject,
): Verdict {
  if (response.status !== 200) return { target, path: '(status)', expected: 200, actual: shortResponse(response) };
  const difference =
    findDifference(expected, response.body) ??
    findRecordDifference(request, expected, response.body) ??
    findTextDifference(response) ??
    findFreshnessDifference(state, response);
  return difference && { target, ...difference };
}

/** Where an answer holds records: the whole of a model's detail, and the lists of that name. */
function findRecordDifference(request: ApiRequest, expected: unknown, actual: unknown) {
  if (!isObject(expected) || !isObject(actual)) return undefined;
  if (request.route === 'model') {
    const difference = findKeyOrderDifference(expected, actual);
    if (difference !== undefined) return difference;
  }
  for (const name of ['models', 'benchmarks', 'scores', 'rankings', 'pricing']) {
    const [wanted, sent] = [expected[name], actual[name]];
    if (!Array.isArray(wanted) || !Array.isArray(sent)) continue;
    for (const [i, record] of wanted.entries()) {
      const difference = findKeyOrderDifference(record, sent[i], `${name}[${i}]`);
      if (difference !== undefined) return difference;
    }
  }
  return undefined;
}

/** `1.0` for 1, or white space, would give the same values in another text. */
function findTextDifference({ text, body }: Answer) {
  const written = JSON.stringify(body);
  if (text === written) return undefined;
  const at = [...text].findIndex((character, i) => character !== written[i]);
  return { path: '(text)', expected: written.slice(at - 40, at + 40), actual: text.slice(at - 40, at + 40) };
}

function findFreshnessDifference({ world }: ApiState, { headers }: Answer) {
  const [expected, actual] = [lastNight(world).dataAsOf, headers.get('x-data-as-of')];
  return expected === actual ? undefined : { path: '(header x-data-as-of)', expected, actual };
}

export function shortResponse({ status, text }: Answer): object {
  return { status, text: text.slice(0, 300) };
}
