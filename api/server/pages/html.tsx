import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';

export interface PageParts {
  readonly title: string;
  /** The page's supported schemes. */
  readonly colorScheme?: string;
  /** Style sheets, icon, scripts. */
  readonly head: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A whole HTML page. Text is escaped, in children and attributes (decision 0107). */
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

/** Escapes text for HTML or XML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<"']/g, (character) => ENTITIES[character] ?? character);
}
