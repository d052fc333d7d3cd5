import type { Connection } from '../../../api/accounts/people/connections.ts';
import { argument, type CommandContext, commandGroup, defineCommand, fieldJson } from '../../cli/command.ts';
import { withMembers } from '../../config/configured-people.ts';

const org = argument('id of the organization, org_…');

const listConnections = defineCommand({
  name: 'list',
  description: 'List the programs that may use an organization',
  arguments: { org },
  examples: ['modelstats connections list ID'],
  async run(context, { org: organizationId }) {
    const people = await import('../../../api/accounts/people/connections.ts');
    const found = await withMembers(context, (changes) => people.listConnections(organizationId, changes));
    const describe = () => (found.length === 0 ? 'no connections yet' : tableOf(context, found));
    context.printResult({ connections: found.map(jsonFromConnection) }, describe);
    return 0;
  },
});

const revokeConnection = defineCommand({
  name: 'revoke',
  description: 'End a connection with its tokens',
  arguments: { org, connection: argument('id of the connection, connection_…') },
  examples: ['modelstats connections revoke ID CONNECTION'],
  async run(context, { org: organizationId, connection: connectionId }) {
    const people = await import('../../../api/accounts/people/connections.ts');
    const revoked = await withMembers(context, (changes) =>
      people.revokeConnection({ organizationId, connectionId }, changes),
    );
    const ended = `${revoked.clientName}, which ${revoked.person.email} connected, is refused within 5 seconds`;
    context.printResult(jsonFromConnection(revoked), ended);
    return 0;
  },
});

export const connections = commandGroup('connections', 'Manage the programs that people connected over MCP', [
  listConnections,
  revokeConnection,
]);

function jsonFromConnection(connection: Connection) {
  const { clientName, person } = connection;
  return {
    ...fieldJson(connection, ['id', 'organizationId']),
    client: clientName,
    email: person.email,
    ...fieldJson(connection, ['createdAt', 'lastUsedAt']),
  };
}

function tableOf({ tableText }: CommandContext, found: readonly Connection[]): string {
  const rows = found.map(({ id, clientName, person, createdAt, lastUsedAt }) => {
    return [id, clientName, person.email, createdAt, lastUsedAt ?? 'never'];
  });
  return tableText(['ID', 'program', 'connected by', 'since', 'last used'], rows);
}
