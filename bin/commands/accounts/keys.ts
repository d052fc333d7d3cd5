import type { ApiKey } from '../../../api/accounts/organizations/keys.ts';
import { AppError } from '../../../runtime/errors.ts';
import {
  argument,
  type CommandContext,
  commandGroup,
  defineCommand,
  fieldJson,
  option,
  optionOr,
  required,
} from '../../cli/command.ts';
import { durationValue, expiryValue, nameValue, textValue } from '../../cli/option-values.ts';
import { withChanges } from '../../config/configured-accounts.ts';

const DAY_MS = 86_400_000;

const createKey = defineCommand({
  name: 'create',
  description: 'Issue a key, which is shown only once',
  options: {
    org: required('<id>', 'the organization', textValue),
    name: optionOr('default', '<name>', 'the purpose of the key', nameValue),
    expires: option('<when>', 'start of a day YYYY-MM-DD, or from now: 24h, 90d (default: never)', expiryValue),
  },
  examples: ['modelstats keys create --org ID --name production --expires 90d'],
  async run(context, { org, name, expires }) {
    const expiresAt = expiryFrom(expires, context);
    const apiKeys = await import('../../../api/accounts/organizations/keys.ts');
    const { key, ...issued } = await withChanges(context, (changes) =>
      apiKeys.createKey({ organizationId: org, name, expiresAt }, changes),
    );
    context.printResult({ ...jsonFrom(issued), key }, () => describeNew(context, [issued], key));
    return 0;
  },
});

const rotateKey = defineCommand({
  name: 'rotate',
  description: 'Issue a key of the same name, shown only once; the old one expires after the overlap',
  arguments: { id: argument('id of the old key, key_…') },
  options: {
    overlap: optionOr(DAY_MS, '<time>', 'how long the old key stays valid: 30m, 24h, 7d, or 0', durationValue),
    expires: option('<when>', 'when the new key expires, as for create (default: never)', expiryValue),
  },
  examples: ['modelstats keys rotate key_01ARZ3NDEKTSV4RRFFQ69G5FAV --overlap 24h'],
  async run(context, { id, overlap: overlapMs, expires }) {
    const expiresAt = expiryFrom(expires, context);
    const apiKeys = await import('../../../api/accounts/organizations/keys.ts');
    const { issued, replaced } = await withChanges(context, (changes) =>
      apiKeys.rotateKey(id, { overlapMs, expiresAt }, changes),
    );
    const { key, ...known } = issued;
    const result = { ...jsonFrom(known), key, replaced: jsonFrom(replaced) };
    context.printResult(result, () => describeNew(context, [known, replaced], key));
    return 0;
  },
});

const listKeys = defineCommand({
  name: 'list',
  description: 'List the keys of an organization, or all, without the keys themselves',
  options: { org: option('<id>', 'the organization', textValue) },
  examples: ['modelstats keys list --org ID'],
  async run(context, { org }) {
    const apiKeys = await import('../../../api/accounts/organizations/keys.ts');
    const found = await withChanges(context, (changes) => apiKeys.listKeys(org, changes));
    const none = 'no keys yet; issue one with: modelstats keys create --org ID';
    context.printResult({ keys: found.map(jsonFrom) }, () => (found.length === 0 ? none : tableOf(context, found)));
    return 0;
  },
});

const revokeKey = defineCommand({
  name: 'revoke',
  description: 'Revoke a key permanently; running servers refuse it within 5 seconds',
  arguments: { id: argument('id of the key, key_…') },
  examples: ['modelstats keys revoke key_01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  async run(context, { id }) {
    const apiKeys = await import('../../../api/accounts/organizations/keys.ts');
    const revoked = await withChanges(context, (changes) => apiKeys.revokeKey(id, changes));
    context.printResult(jsonFrom(revoked), () => tableOf(context, [revoked]));
    return 0;
  },
});

export const keys = commandGroup('keys', 'Manage API keys', [createKey, rotateKey, listKeys, revokeKey]);

function describeNew(context: CommandContext, shown: readonly ApiKey[], key: string): string {
  const bold = context.paint.bold(key);
  return `${tableOf(context, shown)}\n\n  ${bold}\n\nThe key is shown only this once; only its hash is stored.`;
}

/** The expiry of a key; null: never. */
function expiryFrom(expires: Date | number | undefined, { clock }: Pick<CommandContext, 'clock'>): Date | null {
  if (expires === undefined) return null;
  const now = clock().getTime();
  const at = typeof expires === 'number' ? now + expires : expires.getTime();
  if (at <= now) throw new AppError('usage', '--expires is in the past: the key would never work');
  return new Date(at);
}

function jsonFrom(key: ApiKey) {
  const ofKey = fieldJson(key, ['id', 'organizationId', 'name', 'lastFour']);
  return { ...ofKey, ...fieldJson(key, ['createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt']) };
}

function tableOf({ tableText }: CommandContext, shown: readonly ApiKey[]): string {
  const head = ['ID', 'organization', 'name', 'ends with', 'created', 'expires', 'last used', 'revoked'];
  const rows = shown.map(({ id, organizationId, name, lastFour, createdAt, expiresAt, lastUsedAt, revokedAt }) => {
    return [id, organizationId, name, lastFour, createdAt, expiresAt, lastUsedAt, revokedAt];
  });
  return tableText(head, rows);
}
