import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { UsageReport } from '../../../api/accounts/request-counts/read-usage.ts';
import {
  COUNT_NAMES,
  type DayRange,
  RANGE_DAYS_MAX,
  type RequestCounts,
} from '../../../api/accounts/request-counts/request-counts.ts';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { argument, type CommandContext, defineCommand, flag, optionOr } from '../../cli/command.ts';
import { numberValue } from '../../cli/option-values.ts';
import { withAccounts } from '../../config/configured-accounts.ts';

export const showUsage = defineCommand({
  name: 'usage',
  description: 'Show what an organization used: units and requests by day, key and route',
  arguments: { org: argument('id of the organization, org_…') },
  options: {
    days: optionOr(30, '<n>', 'number of UTC days, up to today', numberValue(1, RANGE_DAYS_MAX)),
    csv: flag('a line per day, key, route and kind of credential'),
  },
  examples: ['modelstats orgs usage ID', 'modelstats orgs usage ID --days 90 --csv > usage.csv'],
  async run(context, { org, days, csv, json }) {
    if (csv && json) throw new AppError('usage', '--csv and --json exclude each other');
    const to = dayFromDate(context.clock());
    const range: DayRange = { from: addDays(to, 1 - days), to };
    const { getOrganization } = await import('../../../api/accounts/organizations/organizations.ts');
    await withAccounts(context, async (accounts) => {
      await getOrganization(org, accounts.as(SYSTEM));
      if (csv) {
        // Printing adds the newline of each piece's last line.
        for await (const piece of accounts.usageCsv(org, range)) context.print(piece.slice(0, -1));
      } else {
        const report = await accounts.readUsage(org, range);
        context.printResult(report, () => tablesOf(context, report));
      }
    });
    return 0;
  },
});

type Row = readonly [readonly string[], RequestCounts];

function tablesOf(
  { tableText }: CommandContext,
  { organization_id, from, to, total, days, keys, routes }: UsageReport,
): string {
  const used = days.filter((day) => COUNT_NAMES.some((name) => day[name] !== 0));
  const sum = `${organization_id} used ${total.units} units with ${total.requests} requests from ${from} to ${to}`;
  if (used.length === 0) return sum;
  const names = COUNT_NAMES.map((name) => name.replaceAll('_', ' '));
  const tableOf = (head: readonly string[], rows: readonly Row[]) =>
    tableText(
      [...head, ...names],
      rows.map(([texts, counts]) => [...texts, ...COUNT_NAMES.map((name) => counts[name])]),
    );
  const ofDays = used.map((row): Row => [[row.day], row]);
  const ofKeys = keys.map((row): Row => [[row.key_name, row.last_four, row.revoked_at ?? ''], row]);
  const ofRoutes = routes.map((row): Row => [[row.route], row]);
  return [
    sum,
    tableOf(['day'], ofDays),
    tableOf(['key', 'ends with', 'revoked'], ofKeys),
    tableOf(['route'], ofRoutes),
  ].join('\n');
}
