import { isDay } from '../schemas/day.ts';

/** What keeps a text from being a day written `YYYY-MM-DD`, in pydantic's words; undefined where nothing does. */
export function dayProblem(text: string): string | undefined {
  const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)];
  if (text.length < 'YYYY-MM-DD'.length) return 'input is too short';
  if (!isNumber(year)) return 'invalid character in year';
  if (text[4] !== '-' || text[7] !== '-') return 'invalid date separator, expected `-`';
  if (!isNumber(month)) return 'invalid character in month';
  if (!isNumber(day)) return 'invalid character in day';
  if (month < '01' || month > '12') return 'month value is outside expected range of 1-12';
  if (!isDay(`${year}-${month}-${day}`)) return 'day value is outside expected range';
  if (year === '0000') return 'year 0 is out of range';
  return text.length > 'YYYY-MM-DD'.length ? 'unexpected extra characters at the end of the input' : undefined;
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}
