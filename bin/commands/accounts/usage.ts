import Table from 'cli-table3';
import type { Accounts } from '../../../api/accounts/accounts.ts';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { getOrganization } from '../../../api/accounts/organizations/organizations.ts';
import type { DayRange } from '../../../api/accounts/request-counts/day-range.ts';
import type { UsageReport } from '../../../api/accounts/request-counts/read-usage.ts';
import { COUNT_NAMES, type RequestCounts } from '../../../api/accounts/request-counts/request-counts.ts';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { withAccounts } from '../../config/accounts/configured-accounts.ts';

export interface UsageOptions {
  readonly org: string;
  /** Of which today is the last. */
  readonly days: number;
  readonly csv?: boolean;
  readonly json?: boolean;
}

/** `modelstats orgs usage ORG`: what an organization used, by day, key and route. */
export function showUsage(context: CommandContext, { org, days, csv, json }: UsageOptions): Promise<number> {
  if (csv && json) throw new AppError('usage', '--csv and --json exclude each other');
  const to = dayFromDate(context.clock());
  const range: DayRange = { from: addDays(to, 1 - days), to };
  return withAccounts(context, async (accounts) => {
    await getOrganization(org, accounts.as(SYSTEM));
    if (csv) await printCsv(context, accounts.usageCsv(org, range));
    else {
      const report = await accounts.readUsage(org, range);
      context.print(json ? JSON.stringify(report) : tablesOf(report));
    }
    return 0;
  });
}

/** Printing adds the LF of each piece's last line. */
async function printCsv({ print }: CommandContext, pieces: ReturnType<Accounts['usageCsv']>): Promise<void> {
  for await (const piece of pieces) print(piece.slice(0, -1));
}

function tablesOf({ organization_id, from, to, total, days, keys, routes }: UsageReport): string {
  const used = days.filter((day) => COUNT_NAMES.some((name) => day[name] !== 0));
  const sum = `${organization_id} used ${total.units} units with ${total.requests} requests from ${from} to ${to}`;
  if (used.length === 0) return sum;
  return [
    sum,
    tableOf(
      ['day'],
      used.map((row) => [[row.day], row]),
    ),
    tableOf(
      ['key', 'ends with', 'revoked'],
      keys.map((row) => [[row.key_name, row.last_four, row.revoked_at ?? ''], row]),
    ),
    tableOf(
      ['route'],
      routes.map((row) => [[row.route], row]),
    ),
  ].join('\n');
}

function tableOf(head: readonly string[], rows: readonly (readonly [readonly string[], RequestCounts])[]): string {
  const names = COUNT_NAMES.map((name) => name.replaceAll('_', ' '));
  const table = new Table({ head: [...head, ...names], style: { head: [], border: [] } });
  for (const [texts, counts] of rows) table.push([...texts, ...COUNT_NAMES.map((name) => counts[name])]);
  return table.toString();
}
