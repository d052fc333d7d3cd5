import type { JSX } from 'preact';
import type { AuditEntry } from '../../accounts/audit.ts';
import { listAudit } from '../../accounts/organizations/organizations.ts';
import type { PageDeps } from '../console-deps.ts';
import { page } from '../shell/answer.ts';
import { Instant, Section, Table } from '../shell/parts.tsx';
import type { OrganizationRoute } from '../shell/routes.ts';

/** Entries shown; the command line shows older ones. */
const ENTRIES_MAX = 100;
/** Characters of an entry's details that are shown. */
const DETAILS_MAX = 300;

/** Who did what to an organization, when and from where; for owners. */
export function auditRoute({ accounts }: Pick<PageDeps, 'accounts'>): OrganizationRoute {
  return {
    kind: 'organization',
    method: 'GET',
    path: '/audit',
    isForOwners: true,
    answer: async ({ organization, actor }) => {
      const entries = await listAudit(organization.id, { limit: ENTRIES_MAX }, accounts.as(actor));
      return page('Audit log', <AuditPage entries={entries} />);
    },
  };
}

function AuditPage({ entries }: { readonly entries: readonly AuditEntry[] }): JSX.Element {
  return (
    <>
      <h1>Audit log</h1>
      <Section title={`The newest ${ENTRIES_MAX} changes`}>
        <Table
          caption="Changes, newest first"
          columns={['When', 'Who', 'What', 'Of', 'From', 'Details']}
          rows={entries.map((entry) => (
            <tr>
              <td>
                <Instant at={entry.at} />
              </td>
              <td>{entry.actor.replace(/^person:/, '')}</td>
              <td>
                <code>{entry.action}</code>
              </td>
              <td>
                <code>{entry.subjectId ?? ''}</code>
              </td>
              <td>{entry.origin ?? ''}</td>
              <td class="wide">
                <code>{detailsOf(entry)}</code>
              </td>
            </tr>
          ))}
          empty="Nothing was changed yet."
        />
      </Section>
    </>
  );
}

function detailsOf({ details }: AuditEntry): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text.length > DETAILS_MAX ? `${text.slice(0, DETAILS_MAX)}…` : text;
}
