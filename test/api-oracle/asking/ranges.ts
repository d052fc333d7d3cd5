import { addDays, type Day } from '../../../runtime/day.ts';
import type { Asking, Parameters } from '../route.ts';
import type { Series } from '../world.ts';

/**
 * Ranges of days: usual ones, and the edges at which they are clamped or empty; often near `turns`, the days
 * at which what is asked for begins, ends or breaks off.
 */
export function pickRange(asking: Asking, turns: readonly Day[]): Parameters {
  const range = pickForm(asking, turns);
  const { today } = asking.state;
  return range['from'] !== undefined && range['from'] > today ? { ...range, from: today } : range;
}

function pickForm(asking: Asking, turns: readonly Day[]): Parameters {
  const { choose, state } = asking;
  const day = pickDay(asking, turns);
  const form = choose.weighted(FORMS);
  switch (form) {
    case 'none':
      return {};
    case 'to':
      return { to: day };
    case 'from':
      return { from: addDays(state.today, -choose.integer(0, 400)) };
    case 'one day':
      return { from: day, to: day };
    case 'some days':
      return { from: day, to: addDays(day, choose.integer(1, 60)) };
    case 'many days':
      return { from: day, to: addDays(day, choose.integer(60, 399)) };
    case 'longest':
      return { from: addDays(day, -400), to: day };
    case 'until the future':
      return {
        from: addDays(state.today, -choose.integer(399, 400)),
        to: addDays(state.today, choose.integer(1, 999)),
      };
    case 'in a gap':
      return pickGap(asking);
  }
}

const FORMS = {
  none: 3,
  to: 4,
  from: 3,
  'one day': 3,
  'some days': 5,
  'many days': 6,
  longest: 4,
  'until the future': 2,
  'in a gap': 2,
};

function pickDay({ choose, interests }: Asking, turns: readonly Day[]): Day {
  if (turns.length > 0 && choose.chance(0.6)) return addDays(choose.pick(turns), choose.pick([-1, 0, 0, 0, 1, 30]));
  const { nights, gaps, edges } = interests;
  const lists = [nights, nights, gaps, edges].filter((days) => days.length > 0);
  return choose.pick(choose.pick(lists));
}

/** From one day without a night to the last of that gap, or to the night after it. */
function pickGap({ choose, interests }: Asking): Parameters {
  const { gaps } = interests;
  if (gaps.length === 0) return {};
  const from = choose.pick(gaps);
  let to = from;
  while (gaps.includes(addDays(to, 1))) to = addDays(to, 1);
  return { from, to: choose.chance(0.5) ? to : addDays(to, 1) };
}

/** Where one of these series begins, ends, changes or breaks off. */
export function turnsOf({ choose }: Asking, series: readonly Series[]): readonly Day[] {
  if (series.length === 0) return [];
  const { days, values } = choose.pick(series);
  const isTurn = (day: Day, i: number) => values[i] !== values[i - 1] || days[i - 1] !== addDays(day, -1);
  return [...days.filter(isTurn), ...days.slice(-1)];
}
