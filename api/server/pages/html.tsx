import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';

export interface PageParts {
  readonly title: string;
  /** The colour schemes that the page's style sheet has. */
  readonly colorScheme?: string;
  /** What else stands in the head: style sheets, the icon, scripts. */
  readonly head: ComponentChildren;
  /** The body. */
  readonly children: ComponentChildren;
}

/** A whole page as HTML. Text is escaped wherever it stands, as a child or in an attribute (decision 0107). */
export function renderPage({ title, colorScheme = 'light dark', head, children }: PageParts): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={colorScheme} />
        {head}
      </head>
      <body>{children}</body>
    </html>
  );
  return `<!doctype html>${render(page)}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&#34;', "'": '&#39;' };

/** Text for a place in HTML or XML that no element writes: between tags, or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<"']/g, (character) => ENTITIES[character] ?? character);
}
