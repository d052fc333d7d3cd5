import type { JSX } from 'preact';
import { type Connection, listConnections, revokeConnection } from '../../accounts/people/connections.ts';
import type { PageDeps } from '../console-deps.ts';
import { Confirmed } from '../shell/fields.tsx';
import { Copyable, Done, Instant, Pager, partOf, Section, Table } from '../shell/parts.tsx';
import { page, redirect } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

/** Per page. */
const CONNECTIONS_SHOWN = 40;

/** Programs connected over MCP. Every member may end a connection. */
export function connectionsRoutes({ people }: Pick<PageDeps, 'people'>): readonly OrganizationRoute[] {
  const isOffered = people.authorization !== undefined;
  return [
    forMembers.page('/connections', async (pages) => {
      const connections = await listConnections(pages.organization.id, people.as(pages.actor));
      return page('Connections', <ConnectionsPage pages={pages} connections={connections} isOffered={isOffered} />);
    }),
    forMembers.action('/connections/:connection/revoke', async (pages) => {
      const of = { organizationId: pages.organization.id, connectionId: pages.params['connection'] ?? '' };
      await revokeConnection(of, people.as(pages.actor));
      return redirect(`${pages.path}/connections?done=revoked`);
    }),
  ];
}

interface ConnectionsPageProps {
  readonly pages: OrganizationPages;
  readonly connections: readonly Connection[];
  readonly isOffered: boolean;
}

function ConnectionsPage({ pages, connections, isOffered }: ConnectionsPageProps): JSX.Element {
  const { path, query, baseUrl } = pages;
  const part = partOf(connections, { query, size: CONNECTIONS_SHOWN });
  return (
    <>
      <h1>Connections</h1>
      <Done
        query={query}
        texts={{ revoked: 'The connection was ended. The program is refused within five seconds.' }}
      />
      <Section title="Connect a program">
        <p>
          Agents and other programs connect over MCP, the Model Context Protocol. Give them this address, with the
          transport “Streamable HTTP”:
        </p>
        <Copyable text={`${baseUrl}/mcp`} />
        {isOffered ? (
          <p>They open this console, where you choose the organization. No key is needed.</p>
        ) : (
          <p>
            They need an <a href={`${path}/keys`}>API key</a>, sent as <code>Authorization: Bearer</code>.
          </p>
        )}
      </Section>
      <Section title="Connected programs">
        <Table
          caption="Connected programs"
          columns={[['Program', 'head'], 'Connected by', 'Since', 'Last used', ['', 'actions']]}
          rows={part.shown.map((connection) => connectionCells(connection, pages))}
          empty="None yet."
        />
        <Pager label="More connections" here={`${path}/connections`} part={part} before="Newer" after="Older" />
      </Section>
    </>
  );
}

function connectionCells(connection: Connection, { path, token }: OrganizationPages) {
  const { id, clientName, person, createdAt, lastUsedAt } = connection;
  return [
    clientName,
    person.email,
    <Instant at={createdAt} />,
    <Instant at={lastUsedAt} />,
    <Confirmed
      label="End"
      question={`End the connection of ${clientName}? It must be connected again before its next request.`}
      action={`${path}/connections/${id}/revoke`}
      token={token}
    />,
  ];
}
