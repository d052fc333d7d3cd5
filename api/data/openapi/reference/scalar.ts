import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference';
import fastify from 'fastify';

/**
 * What the page draws itself with, some 5 MB. Scalar's plugin has it within its code and gives it away over a route alone; its own page has a
 * script inside, which our policy forbids.
 */
export async function readScalar(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } });
  const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no script: ${statusCode}`);
  return rawPayload;
}

/** Nothing of anybody else's service: no fonts, no proxy, no assistant, no report of use. The key is gone with the page. */
const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  documentDownloadType: 'none',
  // Its grey of small words is too pale to be read.
  customCss: `
    .light-mode { --scalar-color-3: #666; --scalar-color-blue: #0067b8; --scalar-color-green: #007350; --scalar-color-orange: #a84300; }
    .dark-mode { --scalar-color-3: #a8a8a8; }
  `,
} as const satisfies Partial<ApiReferenceConfiguration>;

/** The script that begins it. */
export function startOfScalar({ element, url }: { readonly element: string; readonly url: string }): string {
  return `Scalar.createApiReference(${JSON.stringify(element)}, ${JSON.stringify({ ...CONFIGURATION, url })});\n`;
}
