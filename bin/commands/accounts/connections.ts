import Table from 'cli-table3';
import type { Connection } from '../../../api/accounts/people/connections.ts';
import * as people from '../../../api/accounts/people/connections.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { withMembers } from '../../config/accounts/configured-people.ts';

export interface ListConnectionsOptions {
  readonly org: string;
  readonly json?: boolean;
}

export interface RevokeConnectionOptions extends ListConnectionsOptions {
  readonly connection: string;
}

/** `modelstats connections list ORG`: the programs that people let ask for an organization over MCP. */
export async function listConnections(context: CommandContext, { org, json }: ListConnectionsOptions): Promise<number> {
  const connections = await withMembers(context, (changes) => people.listConnections(org, changes));
  if (json) context.print(JSON.stringify({ connections: connections.map(jsonFromConnection) }));
  else context.print(connections.length === 0 ? 'no connections yet' : tableOf(connections));
  return 0;
}

/** `modelstats connections revoke ORG CONNECTION`: ends one with its tokens. */
export async function revokeConnection(
  context: CommandContext,
  { org, connection: connectionId, json }: RevokeConnectionOptions,
): Promise<number> {
  const of = { organizationId: org, connectionId };
  const connection = await withMembers(context, (changes) => people.revokeConnection(of, changes));
  const ended = `${connection.clientName}, which ${connection.person.email} connected, is refused within 5 seconds`;
  context.print(json ? JSON.stringify(jsonFromConnection(connection)) : ended);
  return 0;
}

function jsonFromConnection({ id, organizationId, clientName, person, createdAt, lastUsedAt }: Connection) {
  return {
    id,
    organization_id: organizationId,
    client: clientName,
    email: person.email,
    created_at: timestampFromDate(createdAt),
    last_used_at: lastUsedAt && timestampFromDate(lastUsedAt),
  };
}

function tableOf(connections: readonly Connection[]): string {
  const head = ['ID', 'program', 'connected by', 'since', 'last used'];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const { id, clientName, person, createdAt, lastUsedAt } of connections) {
    const lastUsed = lastUsedAt === null ? 'never' : timestampFromDate(lastUsedAt);
    table.push([id, clientName, person.email, timestampFromDate(createdAt), lastUsed]);
  }
  return table.toString();
}
