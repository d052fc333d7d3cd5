import type { JSX } from 'preact';
import { CONSOLE_PATHS } from '../../accounts/people/people.ts';
import { DIGEST_CHOICES, type DigestChoice, findDigestChoice, stopDigest } from '../../digests/digests.ts';
import type { ConsoleDigests, PageDeps } from '../console-deps.ts';
import { Choice, Form } from '../shell/fields.tsx';
import { narrowPage, Section } from '../shell/parts.tsx';
import type { PageResponse } from '../shell/response.ts';
import { forAnybody, type OpenRoute, type PageRequest, type PersonPages } from '../shell/routes.ts';
import { below } from './link-pages.tsx';

type DigestDeps = Pick<PageDeps, 'people' | 'digests'>;

export interface ShownDigest extends ConsoleDigests {
  readonly choice: DigestChoice;
}

/** Undefined if digests are not offered at all. */
export async function findShownDigest(
  { session, actor }: PersonPages,
  { people, digests }: DigestDeps,
): Promise<ShownDigest | undefined> {
  return digests && { ...digests, choice: await findDigestChoice(session.person.id, people.as(actor)) };
}

interface DigestSectionProps {
  readonly pages: PersonPages;
  readonly digest: ShownDigest;
}

export function DigestSection({ pages, digest }: DigestSectionProps): JSX.Element {
  const { problem, choice, hour } = digest;
  const labels: Readonly<Record<DigestChoice, string>> = {
    none: 'No digest',
    daily: 'Daily',
    weekly: 'Weekly, on Mondays',
  };
  const choices = problem === undefined ? DIGEST_CHOICES : (['none'] as const);
  return (
    <Section title="Digest by email">
      <p>
        {`A mail about what changed since the last one: prices, new and removed models, deprecations and retirements, new leaders of rankings. It is sent at ${hour}:00 UTC, and only if something changed.`}
      </p>
      {problem !== undefined && <p class="hint">{problem}</p>}
      {(problem === undefined || choice !== 'none') && (
        <Form action={`${pages.root}/you/digest`} token={pages.token} className="form row">
          <Choice
            label="How often"
            name="digest"
            options={choices.map((value) => ({ value, label: labels[value] }))}
            chosen={choice}
          />
          <button type="submit">Save</button>
        </Form>
      )}
    </Section>
  );
}

/**
 * Target of the link in each digest. Opening it changes nothing, because mail programs open links; those that offer to
 * unsubscribe send the form by themselves (RFC 8058).
 */
export function stopDigestRoutes({ people, digests }: DigestDeps): readonly OpenRoute[] {
  if (digests === undefined) return [];
  const path = below(CONSOLE_PATHS.stopDigest);
  const personIdOf = ({ query }: PageRequest) => digests.stopLinks.personIdFrom(query['token'] ?? '');
  return [
    forAnybody.page(path, (pages) => {
      if (personIdOf(pages) === undefined) return invalidLink();
      const question = (
        <Form
          action={`${pages.root}${path}?token=${encodeURIComponent(pages.query['token'] ?? '')}`}
          token={pages.token}
        >
          <p>You get no more digests by email. All else stays as it is.</p>
          <button type="submit">Stop the digest</button>
        </Form>
      );
      return narrowPage('Stop the digest?', question);
    }),
    forAnybody.signedAction(path, async (pages) => {
      const personId = personIdOf(pages);
      if (personId === undefined) return invalidLink();
      await stopDigest(personId, { as: people.as, origin: pages.origin });
      const text = (
        <p>
          You get no more digests. To get them again, choose so on <a href={`${pages.root}/you`}>your page</a>.
        </p>
      );
      return narrowPage('The digest was stopped', text);
    }),
  ];
}

function invalidLink(): PageResponse {
  return narrowPage('This link is not valid', <p>It was not copied completely. Open it in the mail again.</p>, 404);
}
