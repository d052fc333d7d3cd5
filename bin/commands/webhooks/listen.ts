import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { type CommandContext, defineCommand, option, optionOr } from '../../cli/command.ts';
import { numberValue, textValue } from '../../cli/option-values.ts';
import { listenOn } from '../../cli/ports.ts';
import { firstSignal } from '../../cli/process-events.ts';

/** Loopback only: for deliveries from elsewhere, use a server with a real certificate. */
const HOST = '127.0.0.1';
const CERTIFICATE_DAYS = 365;
const DAY_MS = 86_400_000;
/** A digest of 1,000 events has some 200 KB. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

const OPTIONS = {
  port: optionOr(9443, '<n>', 'port on 127.0.0.1; 0 for any free one', numberValue(0, 65_535)),
  folder: optionOr('./data/listen', '<dir>', 'folder of its certificates, which are created if missing', textValue),
  secret: option('<secret>', "the endpoint's, whsec_…; without it signatures are not checked", textValue),
  status: optionOr(204, '<n>', 'its response status, to see a delivery fail', numberValue(200, 599)),
};

export const listen = defineCommand({
  name: 'listen',
  description: 'Receive, verify and print deliveries on this machine, until a signal, to try webhooks',
  options: OPTIONS,
  json: 'one JSON object per delivery on stdout',
  examples: ['modelstats webhooks listen --secret whsec_…'],
  stopsItself: true,
  async run(context, options) {
    const { secret, json } = options;
    const [{ createServer }, { findSignatureProblem }] = await Promise.all([
      import('node:https'),
      import('../../../api/webhooks/endpoints/signature.ts'),
    ]);
    const stopRequested = firstSignal({ onSecond: () => undefined });
    const { cert, key, caPath } = await readCertificate(resolve(options.folder), context.clock());
    const server = createServer({ cert, key }, (request, response) => void receive(request, response));
    const receive = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await readBody(request).catch(() => 'gone' as const);
      if (body === 'gone') return; // Disconnected during its request.
      if (body === undefined) return void response.writeHead(413, { connection: 'close' }).end();
      const header = headerOf(request, 'x-service-signature');
      const problem =
        secret === undefined ? undefined : findSignatureProblem({ header, body, secret, now: context.clock() });
      const status = problem === undefined ? options.status : 401;
      response.writeHead(status).end();
      const received = { body, problem, status };
      context.printResult(jsonOf(request, received), () => lineOf(context, request, received));
    };
    const port = await listenOn(server, { host: HOST, port: options.port });
    const url = `https://localhost:${port}/`;
    if (json) context.print(JSON.stringify({ status: 'listening', url, ca: caPath }));
    for (const line of hints(url, caPath, secret)) context.log(line);
    await stopRequested;
    server.close();
    server.closeAllConnections();
    return 0;
  },
});

function hints(url: string, caPath: string, secret: string | undefined): readonly string[] {
  return [
    `listening at ${url}`,
    'To send to it, set in the environment of the sender:',
    `  NODE_EXTRA_CA_CERTS=${caPath} MODELSTATS_OUTBOUND_ALLOW=127.0.0.0/8,::1/128`,
    `  modelstats webhooks add --org ID --topics all --url ${url}`,
    ...(secret === undefined ? ['Without --secret signatures are not checked.'] : []),
  ];
}

/** The folder's certificate, created with its authority if missing or about to expire. */
async function readCertificate(folder: string, now: Date) {
  const [caPath, certPath, keyPath] = [join(folder, 'ca.pem'), join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const madePath = join(folder, 'made');
  const made = await readFile(madePath, 'utf8').catch(() => '');
  const ageMs = now.getTime() - Date.parse(made);
  if (!(ageMs >= 0 && ageMs < (CERTIFICATE_DAYS - 1) * DAY_MS)) {
    const times = { from: new Date(now.getTime() - DAY_MS), to: new Date(now.getTime() + CERTIFICATE_DAYS * DAY_MS) };
    const { createAuthority } = await import('../../../runtime/certificates.ts');
    const authority = await createAuthority('modelstats webhooks listen', times);
    const { cert, key } = await authority.issue({ names: ['localhost', HOST], ...times });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(keyPath, key, { mode: 0o600 });
    await writeFile(certPath, cert);
    await writeFile(caPath, authority.ca);
    await writeFile(madePath, now.toISOString()); // Last: an incomplete set is created again.
  }
  return { caPath, cert: await readFile(certPath, 'utf8'), key: await readFile(keyPath, 'utf8') };
}

/** Undefined if too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

interface Received {
  readonly body: Buffer;
  readonly problem: string | undefined;
  readonly status: number;
}

function lineOf({ paint }: CommandContext, request: IncomingMessage, { body, problem, status }: Received): string {
  const event = headerOf(request, 'x-service-event') ?? '?';
  const verdict = problem === undefined ? paint.green(String(status)) : paint.red(`${status}, ${problem}`);
  return `${verdict} ${paint.bold(event)} ${headerOf(request, 'x-service-delivery') ?? ''}\n  ${body.toString('utf8')}`;
}

function jsonOf(request: IncomingMessage, { body, problem, status }: Received) {
  return {
    status,
    problem: problem ?? null,
    event: headerOf(request, 'x-service-event') ?? null,
    delivery: headerOf(request, 'x-service-delivery') ?? null,
    body: body.toString('utf8'),
  };
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
