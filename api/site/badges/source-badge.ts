import { badgeRoutes } from './badge-routes.ts';

/** The badge that says where data come from. */
export const sourceBadgeRoutes = badgeRoutes({
  path: '/badges/source',
  operationId: 'getSourceBadge',
  summary: 'A badge that says where data come from',
  badge: async () => ({ label: 'data', message: 'modelstats', color: 'blue' }),
});
