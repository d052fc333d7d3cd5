import type { JSX } from 'preact';
import { z } from 'zod';
import {
  type ApiKey,
  createKey,
  listKeys,
  type NewApiKey,
  revokeKey,
  rotateKey,
} from '../../accounts/organizations/keys.ts';
import { notFound } from '../../server/errors/http-error.ts';
import type { PageDeps } from '../console-deps.ts';
import { curlLine } from '../data/data-page.tsx';
import { Choice, Confirmed, Field, Form, Problems } from '../shell/fields.tsx';
import { Badge, Copyable, Done, Instant, Notice, Pager, partOf, Section, Table } from '../shell/parts.tsx';
import { type ConsoleResponse, formPage, NO_FIELDS, page, redirect, requiredText, textOf } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

const DAY_MS = 86_400_000;
/** Per page. */
const KEYS_SHOWN = 40;
/** How long a replaced key keeps working. */
const OVERLAP_MS = DAY_MS;
const LIFETIMES = [
  { value: '', label: 'never' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
] as const;

const KeyForm = z.object({
  name: requiredText('Enter the purpose of the key.', 100).regex(/^\P{Cc}*$/u, 'One line of text.'),
  days: z.enum(['', '30', '90', '365']).default(''),
});

export function isWorking({ revokedAt, expiresAt }: ApiKey, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** False for a key that ends within the overlap, such as a replaced one. */
function isReplaceable(key: ApiKey, now: Date): boolean {
  const end = key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return isWorking(key, now) && end > now.getTime() + OVERLAP_MS;
}

/** It lasts as long as the replaced key. */
function endOfSuccessor({ createdAt, expiresAt }: ApiKey, now: Date): Date | null {
  return expiresAt === null ? null : new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime());
}

/** Every member may create, replace and revoke keys. */
export function keysRoutes({ accounts }: Pick<PageDeps, 'accounts'>): readonly OrganizationRoute[] {
  const changesBy = ({ actor }: OrganizationPages) => accounts.as(actor);
  const show = async (pages: OrganizationPages): Promise<ConsoleResponse> => {
    const keys = await listKeys(pages.organization.id, changesBy(pages));
    return formPage('Keys', keysPage(pages, keys), pages);
  };
  /** Rejects with `not_found` for another organization's key. */
  const ownKey = async (pages: OrganizationPages) => {
    const keys = await listKeys(pages.organization.id, changesBy(pages));
    const key = keys.find(({ id }) => id === pages.params['key']);
    if (key === undefined) throw notFound(null, 'There is no such key');
    return key;
  };
  return [
    forMembers.page('/keys', show),
    forMembers.form('/keys', {
      fields: KeyForm,
      show,
      work: async (pages, { name, days }) => {
        const expiresAt = days === '' ? null : new Date(pages.now.getTime() + Number(days) * DAY_MS);
        const issued = await createKey({ organizationId: pages.organization.id, name, expiresAt }, changesBy(pages));
        return page('Your new key', <NewKeyPage pages={pages} issued={issued} />);
      },
    }),
    forMembers.form('/keys/:key/replace', {
      fields: NO_FIELDS,
      show,
      work: async (pages) => {
        const key = await ownKey(pages);
        const rotation = { overlapMs: OVERLAP_MS, expiresAt: endOfSuccessor(key, pages.now), isOnce: true };
        const { issued, replaced } = await rotateKey(key.id, rotation, changesBy(pages));
        return page('Your new key', <NewKeyPage pages={pages} issued={issued} replaced={replaced} />);
      },
    }),
    forMembers.action('/keys/:key/revoke', async (pages) => {
      await revokeKey((await ownKey(pages)).id, changesBy(pages));
      return redirect(`${pages.path}/keys?done=revoked`);
    }),
  ];
}

function keysPage(pages: OrganizationPages, keys: readonly ApiKey[]): JSX.Element {
  const { path, token, form, now } = pages;
  const newestFirst = keys.toReversed().sort((a, b) => Number(isWorking(b, now)) - Number(isWorking(a, now)));
  const part = partOf(newestFirst, { query: pages.query, size: KEYS_SHOWN });
  return (
    <>
      <h1>API keys</h1>
      <Done query={pages.query} texts={{ revoked: 'The key was revoked. Requests with it are refused from now on.' }} />
      <Section title="New key">
        <Problems of={pages} />
        <Form action={`${path}/keys`} token={token} className="form row">
          <Field
            label="Purpose"
            name="name"
            of={pages}
            maxlength={100}
            hint="Such as “dashboard” or “nightly job”."
            autocomplete="off"
          />
          <Choice label="Expires" name="days" options={LIFETIMES} chosen={textOf(form, 'days')} />
          <button type="submit">Create a key</button>
        </Form>
      </Section>
      <Section title="Your keys">
        <Table
          caption="API keys"
          columns={[['Name', 'head'], 'Key', 'State', 'Created', 'Last used', ['', 'actions']]}
          rows={part.shown.map((key) => keyCells(key, pages))}
          empty="None yet."
        />
        <Pager label="More keys" here={`${path}/keys`} part={part} before="Newer" after="Older" />
      </Section>
    </>
  );
}

function keyCells(key: ApiKey, { path, token, now }: OrganizationPages) {
  return [
    key.name,
    <code>{`…${key.lastFour}`}</code>,
    <KeyState apiKey={key} now={now} />,
    <Instant at={key.createdAt} />,
    <Instant at={key.lastUsedAt} />,
    isWorking(key, now) && (
      <>
        {isReplaceable(key, now) && (
          <Confirmed
            label="Replace"
            question={`Create a new key named ${key.name}? The old one keeps working for a day.`}
            action={`${path}/keys/${key.id}/replace`}
            token={token}
          />
        )}
        <Confirmed
          label="Revoke"
          question={`Revoke ${key.name} for good? Programs that use it are refused at once.`}
          action={`${path}/keys/${key.id}/revoke`}
          token={token}
        />
      </>
    ),
  ];
}

function KeyState({ apiKey: key, now }: { readonly apiKey: ApiKey; readonly now: Date }): JSX.Element {
  if (key.revokedAt !== null) return <Badge kind="bad" text="revoked" />;
  if (key.expiresAt === null) return <Badge kind="good" text="works" />;
  if (key.expiresAt <= now) return <Badge kind="bad" text="expired" />;
  return (
    <>
      <Badge kind="good" text="works" /> until <Instant at={key.expiresAt} />
    </>
  );
}

interface NewKeyPageProps {
  readonly pages: OrganizationPages;
  readonly issued: NewApiKey;
  /** The key that it replaces. */
  readonly replaced?: ApiKey;
}

function NewKeyPage({ pages, issued, replaced }: NewKeyPageProps): JSX.Element {
  return (
    <>
      <h1>{`Your new key “${issued.name}”`}</h1>
      <Notice kind="plain">
        <p>The key is shown only now. Store it where your program finds it, and nowhere else.</p>
      </Notice>
      <Section title="The key">
        <Copyable text={issued.key} />
      </Section>
      <Section title="Try it">
        <Copyable text={curlLine(`${pages.baseUrl}/v1/models?limit=3`, issued.key)} />
      </Section>
      {replaced !== undefined && (
        <p>
          The old one, <code>{`…${replaced.lastFour}`}</code>, expires on <Instant at={replaced.expiresAt} />.
        </p>
      )}
      <p>
        <a href={`${pages.path}/keys`}>All keys</a>
      </p>
    </>
  );
}
