import type { JSX } from 'preact';
import type { Integration } from '../../integrations/integration.ts';
import { Badge } from '../shell/parts.tsx';

const STATE_KINDS = {
  pending: 'plain',
  verified: 'good',
  at_risk: 'bad',
  lapsed: 'bad',
  rejected: 'bad',
  removed: 'bad',
} as const;

export function IntegrationState({ integration: { state } }: { readonly integration: Integration }): JSX.Element {
  return <Badge kind={STATE_KINDS[state]} text={state.replace('_', ' ')} />;
}
