/**
 * `/v1/resolve` (specification "Names as people write them"), of names whose best match needs no step: an id, an alias of one model, and
 * what nothing is called. api/data/routes/resolve.test.ts has the steps.
 */
import { pickId, pickModel, pickValue } from '../asking/asking.ts';
import { type ApiState, type Expected, TEXT } from '../expected.ts';
import type { Asked, Asking } from '../route.ts';
import type { WireRecord, World } from '../world.ts';

/** The limit is 1, so that only the best match is told. */
export function resolveResponse({ world }: ApiState, { query: { name = '' } }: Asked): Expected {
  const own = world.current.models.find(({ id }) => id === name);
  const [called, ...others] = modelsCalled(world, name);
  const found = own ?? (others.length === 0 ? called : undefined);
  const match = own === undefined ? 'alias' : 'id';
  return { kind: 'body', body: { name, matches: found === undefined ? [] : [matchOf(found, match)] } };
}

function matchOf({ id, name, organization }: WireRecord, match: string) {
  return { model_id: id, name, organization: organization ?? null, match, confidence: 'exact', why: TEXT };
}

function modelsCalled({ aliases, current }: World, name: string): readonly WireRecord[] {
  const called = new Set(aliases.filter(({ id }) => id === name).map(({ model_id }) => model_id));
  return current.models.filter(({ id }) => called.has(String(id)));
}

const NOBODY = 'qxzvkj 31415926535';

export function askResolve(asking: Asking): Asked {
  const { choose, state } = asking;
  const picked = choose.pick([
    () => pickModel(asking),
    () => pickValue(asking, 'aliases.id'),
    () => pickId(asking, []),
  ])();
  const isModel = state.world.current.models.some(({ id }) => id === picked);
  const isSettled = picked === picked.trim() && (isModel || modelsCalled(state.world, picked).length === 1);
  return { params: {}, query: { name: isSettled ? picked : NOBODY, limit: '1' } };
}
