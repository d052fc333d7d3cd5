import type { AuditEntry } from '../../accounts/audit.ts';
import { listAudit } from '../../accounts/organizations/organizations.ts';
import type { PageDeps } from '../console-deps.ts';
import { Instant, Section, Table } from '../shell/parts.tsx';
import { page } from '../shell/response.ts';
import { forMembers, type OrganizationRoute } from '../shell/routes.ts';

/** The command line shows older ones. */
const ENTRIES_MAX = 100;
/** Shown characters of an entry's details. */
const DETAILS_MAX = 300;

/** For owners. */
export function auditRoute({ accounts }: Pick<PageDeps, 'accounts'>): OrganizationRoute {
  return forMembers.page(
    '/audit',
    async ({ organization, actor }) => {
      const entries = await listAudit(organization.id, { limit: ENTRIES_MAX }, accounts.as(actor));
      const body = (
        <>
          <h1>Audit log</h1>
          <Section title={`The newest ${ENTRIES_MAX} changes`}>
            <Table
              caption="Changes, newest first"
              columns={['When', 'Who', 'What', 'Of', 'From', ['Details', 'wide']]}
              rows={entries.map(cellsOf)}
              empty="No changes yet."
            />
          </Section>
        </>
      );
      return page('Audit log', body);
    },
    { isForOwners: true },
  );
}

function cellsOf(entry: AuditEntry) {
  const { at, actor, action, subjectId, origin } = entry;
  return [
    <Instant at={at} />,
    actor.replace(/^person:/, ''),
    <code>{action}</code>,
    <code>{subjectId ?? ''}</code>,
    origin ?? '',
    <code>{detailsOf(entry)}</code>,
  ];
}

function detailsOf({ details }: AuditEntry): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text.length > DETAILS_MAX ? `${text.slice(0, DETAILS_MAX)}…` : text;
}
