import { getWord, type IntegrationRow } from '../../database/tables/tables.ts';
import { INTEGRATION_STATES, type IntegrationState } from '../integration.ts';
import type { Standing } from '../life/life.ts';

/** Where an integration stands, from its row. */
export function standingFrom(row: IntegrationRow): Standing {
  return {
    state: stateOf(row),
    stateChangedAt: row.state_changed_at,
    failures: row.failures,
    firstFailedAt: row.first_failed_at,
    bonusUntil: row.bonus_until,
  };
}

/** The same as columns of the row. */
export function columnsOf(standing: Standing) {
  return {
    state: standing.state,
    state_changed_at: standing.stateChangedAt,
    failures: standing.failures,
    first_failed_at: standing.firstFailedAt,
    bonus_until: standing.bonusUntil,
  } satisfies Partial<IntegrationRow>;
}

export function stateOf(row: IntegrationRow): IntegrationState {
  return getWord(INTEGRATION_STATES, row.state);
}
