/**
 * What the commands do. Each is loaded when it is called and not before, so that none waits for another's libraries: the help
 * needs none at all, and only `serve` the server's.
 */
export const ACTIONS = {
  nightly: async () => (await import('./commands/night/nightly.ts')).nightly,
  schedule: async () => (await import('./commands/night/schedule.ts')).schedule,
  backfill: async () => (await import('./commands/night/backfill.ts')).backfill,
  serve: async () => (await import('./commands/serve.ts')).serve,
  status: async () => (await import('./commands/store/status.ts')).status,
  verify: async () => (await import('./commands/store/verify.ts')).verifyStore,
  republish: async () => (await import('./commands/store/republish.ts')).republishSnapshot,
  prune: async () => (await import('./commands/store/prune.ts')).pruneStore,
  mirror: async () => (await import('./commands/store/mirror.ts')).mirrorStore,
  catalogRebuild: async () => (await import('./commands/store/catalog-rebuild.ts')).catalogRebuild,
  createOrganization: async () => (await import('./commands/accounts/orgs.ts')).createOrganization,
  listOrganizations: async () => (await import('./commands/accounts/orgs.ts')).listOrganizations,
  setPlan: async () => (await import('./commands/accounts/orgs.ts')).setPlan,
  showAudit: async () => (await import('./commands/accounts/audit.ts')).showAudit,
  createKey: async () => (await import('./commands/accounts/keys.ts')).createKey,
  listKeys: async () => (await import('./commands/accounts/keys.ts')).listKeys,
  rotateKey: async () => (await import('./commands/accounts/keys.ts')).rotateKey,
  revokeKey: async () => (await import('./commands/accounts/keys.ts')).revokeKey,
} as const;
