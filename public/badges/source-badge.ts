import { JSON_TYPE } from '../../api/answers/answers.ts';
import { type PublicRoute, publicRoute } from '../public-route.ts';
import { type Badge, SVG_TYPE, shieldsJsonOf, svgOf } from './badge.ts';

const SOURCE: Badge = { label: 'data', message: 'modelstats', color: 'blue' };

/** The badge that says where data come from. */
export const sourceBadgeRoutes: readonly PublicRoute[] = [
  publicRoute({ path: '/badges/source.svg', type: SVG_TYPE, answer: async () => svgOf(SOURCE) }),
  publicRoute({ path: '/badges/source.json', type: JSON_TYPE, answer: async () => shieldsJsonOf(SOURCE) }),
];
