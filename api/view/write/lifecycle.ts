import { crc32 } from 'node:zlib';
import { type Day, dayFromNumber, dayNumber } from '../../../runtime/day.ts';
import type { RecordOf } from '../../../schemas/datasets.ts';
import { LIFECYCLE_EVENTS, type LifecycleEvent } from '../schema.ts';
import type { Writer } from './writer.ts';

/** Of a record or of an interval's payload; missing fields are null. */
type LifeFields = Partial<Pick<RecordOf<'models'>, 'status' | 'deprecated_on' | 'retires_on'>>;

/** A date of null: the day is not known. Undefined: the record speaks of no such event. */
type EventDates = Readonly<Record<LifecycleEvent, Day | null | undefined>>;

/**
 * The events of a model's life that its record speaks of (specification "Lifecycle"). A model that is deprecated or retired without a
 * day of retirement has a retirement without a date, so that it is found.
 */
function eventDates({ status, deprecated_on: deprecation, retires_on: retirement }: LifeFields): EventDates {
  const isLeaving = status === 'deprecated' || status === 'retired' || (deprecation ?? null) !== null;
  return { deprecation: deprecation ?? undefined, retirement: retirement ?? (isLeaving ? null : undefined) };
}

/** Writes the events of all models: some hundreds, read from their lines. Follows the models and their intervals. */
export function writeLifecycle(view: Writer['view']): void {
  const insert = view.prepare('INSERT INTO lifecycle VALUES (?, ?, ?, ?, ?, ?, ?)');
  const payloads = view.prepare<[number], { readonly valid_from: number; readonly payload: string }>(
    `SELECT valid_from, substr(text, instr(text, char(9)) + 1) AS payload FROM intervals
       WHERE kind = 'metadata' AND model = ? ORDER BY valid_from DESC`,
  );
  view.exec('DELETE FROM lifecycle');
  const models = view
    .prepare<[], { readonly model: number; readonly line: string }>(
      `SELECT model, line FROM models WHERE line ->> '$.status' IN ('deprecated', 'retired')
         OR line ->> '$.deprecated_on' IS NOT NULL OR line ->> '$.retires_on' IS NOT NULL`,
    )
    .all();
  for (const { model, line } of models) {
    const record = JSON.parse(line) as RecordOf<'models'>; // A line that this build wrote.
    const dates = eventDates(record);
    const intervals = payloads.all(model);
    for (const event of LIFECYCLE_EVENTS) {
      const date = dates[event];
      if (date === undefined) continue;
      const text = JSON.stringify(entryOf(record, { event, date, since: firstDayOf(intervals, event, date) }));
      insert.run(
        ...[model, event, date === null ? null : dayNumber(date), record.organization, record.status ?? null],
        ...[text, crc32(text)],
      );
    }
  }
}

function entryOf(
  { id, name, organization, status, replaced_by, source, updated_at }: RecordOf<'models'>,
  { event, date, since }: { readonly event: LifecycleEvent; readonly date: Day | null; readonly since: Day | null },
): object {
  return {
    model_id: id,
    name,
    organization,
    event,
    date,
    status: status ?? null,
    replaced_by: replaced_by ?? null,
    source: source ?? null,
    known_since: since,
    updated_at,
  };
}

/** The first day of the newest intervals that say the same of an event; null if the newest one doesn't. */
function firstDayOf(
  newestFirst: readonly { readonly valid_from: number; readonly payload: string }[],
  event: LifecycleEvent,
  date: Day | null,
): Day | null {
  const other = newestFirst.findIndex(({ payload }) => eventDates(JSON.parse(payload) as LifeFields)[event] !== date);
  const first = newestFirst.at(other === -1 ? -1 : other - 1);
  return other === 0 || first === undefined ? null : dayFromNumber(first.valid_from);
}
