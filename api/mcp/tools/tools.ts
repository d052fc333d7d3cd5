import { z } from 'zod';
import { AccountSchema } from '../../accounts/caller.ts';
import { HISTORY_MONTHS_FULL } from '../../accounts/organizations/plans.ts';
import { ACCOUNT_ROUTE } from '../../data/routes/data-routes.ts';
import { cell, type Row } from '../table.ts';
import { lines } from '../tool-text.ts';
import { BULK_TOOLS } from './bulk-tools.ts';
import { compareModelsTool } from './compare-models.ts';
import { costTool } from './cost-tool.ts';
import { CURRENT_TOOLS } from './current-tools.ts';
import { HISTORY_TOOLS } from './history-tools.ts';
import { resolveModelTool } from './resolve-model.ts';
import { assertKnownArguments } from './route-tool.ts';
import { argumentsSchema, outputSchemaOf, type Tool } from './tool.ts';

const accountTool: Tool = {
  name: 'get-account',
  title: 'Get the account',
  description: 'Plan, limits, and units left today.',
  access: ACCOUNT_ROUTE,
  inputSchema: argumentsSchema(z.object({})),
  outputSchema: outputSchemaOf(AccountSchema),
  call: async (args, exchange) => {
    assertKnownArguments(args, []);
    const body = await exchange.account();
    return { text: accountText(body), body };
  },
};

function historyOf(months: unknown): string {
  return Number(months) >= HISTORY_MONTHS_FULL ? 'full, back to the first day' : `${cell(months)} months back`;
}

function accountText(body: Row): string {
  const [plan, usage] = [Object(body['plan']) as Row, Object(body['usage']) as Row];
  const limit = usage['limit'] === null ? 'without a limit' : `of ${cell(usage['limit'])}`;
  const left = usage['remaining'] === null ? '' : `, ${cell(usage['remaining'])} left`;
  const resetAt = new Date(Number(usage['reset_at']) * 1000).toISOString();
  return lines(
    `Plan ${cell(plan['display_name'])} (${cell(plan['status'])}), with ${cell(plan['features'])}.`,
    `Units used on ${cell(usage['quota_day'])} (UTC): ${cell(usage['used'])} ${limit}${left}; resets at ${resetAt}.`,
    `Requests a minute: ${cell(usage['burst_limit'])}. History: ${historyOf(plan['history_months'])}.`,
  );
}

export const TOOLS: readonly Tool[] = [
  resolveModelTool,
  ...CURRENT_TOOLS,
  compareModelsTool,
  costTool,
  ...HISTORY_TOOLS,
  ...BULK_TOOLS,
  accountTool,
];
