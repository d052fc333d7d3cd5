import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messageFromError } from '../../runtime/errors.ts';
import { WebhookDatabase } from '../../test/support/webhooks/webhook-database.ts';
import { openWebhookSubject, type WebhookSubject } from '../../test/support/webhooks/webhook-subject.ts';
import { SYSTEM } from '../accounts/actor.ts';
import { changePlan, listAudit } from '../accounts/organizations/organizations.ts';
import type { EndpointState } from './endpoints/endpoint.ts';
import type { Filters } from './endpoints/filters.ts';
import { followPlans } from './endpoints/suspension.ts';
import { moveEndpoint, revokeEndpoint } from './endpoints/transitions.ts';

/** What holds for endpoints and their log on every control database; `another` makes an empty one and gives its address. */
export function describeAdministration(name: string, another: () => Promise<string>): void {
  describe(`endpoints on ${name}`, () => {
    let subject: WebhookSubject;
    let organizationId: string;

    beforeEach(async () => {
      subject = await openWebhookSubject(await another());
      organizationId = await subject.organization();
    });
    afterEach(() => subject.close());

    const stateOf = async (id: string) => (await subject.endpoints.get(id)).state;
    const deliveriesOf = (endpointId: string) => subject.log.list({ endpointId, limit: 1000 });
    const auditActions = async () =>
      (await listAudit(organizationId, { limit: 100 }, subject.accounts.as(SYSTEM))).map(({ action }) => action);
    const setPlan = (plan: 'builder' | 'commercial') =>
      changePlan(organizationId, (before) => ({ ...before, plan }), subject.accounts.as(SYSTEM));
    const follow = () => {
      const { database, clock, isOffered } = subject;
      return followPlans({ database: database.kysely, clock: clock.now, isOffered });
    };
    const move = (id: string, to: EndpointState) =>
      moveEndpoint(subject.database.kysely, id, { from: ['active'], to, now: subject.clock.now() });
    const rowOf = (id: string) => new WebhookDatabase(subject.database).endpoint(id);

    test('an endpoint begins as registered, with one ping that waits and a secret that is shown once', async () => {
      const { endpoint, secret, pingId } = await subject.endpoints.add(subject.wanted(organizationId));
      expect(endpoint).toMatchObject({ state: 'registered', consecutiveFailures: 0, topics: ['score.updated'] });
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
      expect(await deliveriesOf(endpoint.id)).toMatchObject([
        { id: pingId, topic: 'ping', kind: 'ping', state: 'waiting' },
      ]);
      const row = await rowOf(endpoint.id);
      expect(JSON.stringify([row, await subject.endpoints.list()])).not.toContain(secret.slice('whsec_'.length));
      expect(subject.keys.open(row.sealed_secret, endpoint.id)).toBe(secret);
    });

    test('an eleventh endpoint is refused, also of eleven at once, until one is removed', async () => {
      const add = () => subject.endpoints.add(subject.wanted(organizationId));
      const outcomes = await Promise.allSettled(Array.from({ length: 11 }, add));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      const [first] = await subject.endpoints.list(organizationId);
      await subject.endpoints.remove(first?.id ?? '');
      await expect(add()).resolves.toMatchObject({ endpoint: { state: 'registered' } });
      await expect(add()).rejects.toMatchObject({ code: 'usage' });
    });

    test('an organization without webhooks in its plan registers none, and one that there is not is not found', async () => {
      const builder = await subject.organization('builder');
      await expect(subject.endpoints.add(subject.wanted(builder))).rejects.toThrow(
        /the plan of org_\w+ has no webhooks/,
      );
      await expect(subject.endpoints.add(subject.wanted('org_none'))).rejects.toMatchObject({ code: 'not_found' });
      await expect(subject.endpoints.list('org_none')).rejects.toMatchObject({ code: 'not_found' });
      expect(await subject.endpoints.list(builder)).toEqual([]);
    });

    test('all that is wrong with what is wanted is told at once, and nothing is registered', async () => {
      const many = Array.from({ length: 1001 }, (_, index) => `model-${index}`);
      const wanted = subject.wanted(organizationId, {
        url: 'http://example.com/',
        description: 'two\nlines',
        topics: [],
        filters: { models: many, meters: [], min_change_percent: 2000, max_rank: 0.5 },
      });
      const refused = await subject.endpoints.add(wanted).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'usage' });
      expect(messageFromError(refused).split('\n')).toEqual([
        'the address of the endpoint: the URL must begin with https://',
        'description: must be one line of at most 200 characters',
        'topics: must name at least one topic',
        'filters.models: must name 1 to 1000 ids',
        'filters.meters: must name 1 to 13 meters',
        'filters.min_change_percent: must be above 0 and at most 1000',
        'filters.max_rank: must be a whole number from 1 to 1000000',
      ]);
      expect(await subject.endpoints.list()).toEqual([]);
    });

    test('filters stay as they were registered', async () => {
      const filters: Filters = {
        providers: ['p:1'],
        min_price_change_percent: 2.5,
        meters: ['output', 'cache_read'],
        direction: 'down',
        min_change_percent: 0.5,
        max_rank: 10,
      };
      const { endpoint } = await subject.endpoints.add(subject.wanted(organizationId, { filters }));
      expect((await subject.endpoints.get(endpoint.id)).filters).toEqual(filters);
    });

    test('a rotated secret replaces the one before', async () => {
      const { endpoint, secret } = await subject.endpoints.add(subject.wanted(organizationId));
      subject.clock.advance(1000);
      const rotated = await subject.endpoints.rotateSecret(endpoint.id);
      expect(rotated.secret).not.toBe(secret);
      expect(rotated.endpoint.secretChangedAt.getTime()).toBe(endpoint.secretChangedAt.getTime() + 1000);
      expect(subject.keys.open((await rowOf(endpoint.id)).sealed_secret, endpoint.id)).toBe(rotated.secret);
    });

    test('a revoked endpoint shows the failures that led to it until it is enabled, and what waited is not sent later', async () => {
      const id = await subject.active(organizationId);
      await revokeEndpoint(subject.database.kysely, id, subject.clock.now());
      expect(await subject.endpoints.get(id)).toMatchObject({ state: 'revoked', consecutiveFailures: 20 });
      expect(await subject.endpoints.list(organizationId)).toMatchObject([{ consecutiveFailures: 20 }]);
      const pingId = await subject.endpoints.enable(id);
      expect(await subject.endpoints.get(id)).toMatchObject({ state: 'registered', consecutiveFailures: 0 });
      const [newest, ...older] = await deliveriesOf(id);
      expect(newest).toMatchObject({ id: pingId, kind: 'ping', state: 'waiting' });
      expect(older).toMatchObject([{ state: 'dropped' }]);
    });

    test('enabling an active endpoint changes nothing, and testing it queues a ping', async () => {
      const id = await subject.active(organizationId);
      const before = await subject.endpoints.get(id);
      expect(await subject.endpoints.enable(id)).toBeUndefined();
      expect(await subject.endpoints.get(id)).toEqual(before);
      const pingId = await subject.endpoints.test(id);
      expect((await deliveriesOf(id))[0]).toMatchObject({ id: pingId, kind: 'ping' });
      expect(await stateOf(id)).toBe('active');
    });

    test.each(['revoked', 'suspended'] as const)('a %s endpoint is neither tested nor replayed to', async (state) => {
      const id = await subject.active(organizationId);
      await move(id, state);
      await expect(subject.endpoints.test(id)).rejects.toMatchObject({ code: 'usage' });
      await expect(subject.log.replayFailed(id, new Date(0))).rejects.toMatchObject({ code: 'usage' });
    });

    test('a removed endpoint is not there any more, and its secret is nowhere', async () => {
      const id = await subject.active(organizationId);
      await subject.endpoints.remove(id);
      expect(await subject.endpoints.list(organizationId)).toEqual([]);
      for (const call of ['get', 'remove', 'test'] as const)
        await expect(subject.endpoints[call](id), call).rejects.toMatchObject({ code: 'not_found' });
      expect(await rowOf(id)).toMatchObject({ state: 'removed', sealed_secret: '' });
    });

    test('losing the plan suspends, drops what waits and tells the owner; regaining it registers anew with a ping', async () => {
      const id = await subject.active(organizationId);
      expect(await follow()).toEqual({ suspended: [], resumed: [] });
      await setPlan('builder');
      expect(await follow()).toEqual({ suspended: [id], resumed: [] });
      expect(await stateOf(id)).toBe('suspended');
      expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(['dropped']);
      expect((await rowOf(id)).notice).toBe('suspended');
      await expect(subject.endpoints.enable(id)).rejects.toMatchObject({ code: 'usage' });
      await setPlan('commercial');
      expect(await follow()).toEqual({ suspended: [], resumed: [id] });
      expect(await stateOf(id)).toBe('registered');
      expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(['waiting', 'dropped']);
      expect(await follow()).toEqual({ suspended: [], resumed: [] });
      expect((await auditActions()).slice(0, 4)).toEqual([
        'webhook.resume',
        'organization.set_plan',
        'webhook.suspend',
        'organization.set_plan',
      ]);
      expect((await rowOf(id)).notice).toBe(null);
    });

    test('two dispatchers that see the plan come back at once leave an endpoint with a ping', async () => {
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) ids.push(await subject.active(organizationId));
      await setPlan('builder');
      await follow();
      await setPlan('commercial');
      const both = await Promise.all([follow(), follow()]);
      expect(both.flatMap(({ resumed }) => resumed).toSorted()).toEqual(ids.toSorted());
      for (const id of ids) expect((await deliveriesOf(id)).map(({ state }) => state)).toContain('waiting');
    });

    test('each change of an endpoint leaves its line in the audit log', async () => {
      const id = await subject.active(organizationId);
      await subject.endpoints.test(id);
      await subject.log.replayFailed(id, new Date(0));
      await subject.endpoints.rotateSecret(id);
      await move(id, 'revoked');
      await subject.endpoints.enable(id);
      await subject.endpoints.resealSecrets();
      await subject.endpoints.remove(id);
      const lines = await listAudit(undefined, { limit: 100 }, subject.accounts.as(SYSTEM));
      expect(lines.filter(({ actor }) => actor === 'test').map(({ action }) => action)).toEqual([
        'webhook.remove',
        'webhook.reseal_secrets',
        'webhook.enable',
        'webhook.rotate_secret',
        'webhook.replay',
        'webhook.test',
        'webhook.add',
      ]);
    });

    test('where webhooks are not offered, endpoints are suspended whatever the plan, and none is registered', async () => {
      const id = await subject.active(organizationId);
      const untouched = await subject.active(await subject.organization());
      subject.notOffered.add(organizationId);
      expect(await follow()).toEqual({ suspended: [id], resumed: [] });
      expect([await stateOf(id), await stateOf(untouched)]).toEqual(['suspended', 'active']);
      await expect(subject.endpoints.add(subject.wanted(organizationId))).rejects.toMatchObject({ code: 'usage' });
      subject.notOffered.clear();
      expect(await follow()).toEqual({ suspended: [], resumed: [id] });
    });

    test('a revoked endpoint stays revoked whatever becomes of the plan', async () => {
      const id = await subject.active(organizationId);
      await move(id, 'revoked');
      await setPlan('builder');
      await follow();
      await setPlan('commercial');
      await follow();
      expect(await stateOf(id)).toBe('revoked');
    });
  });
}
