import { isIP } from 'node:net';
import { generate, type SelfsignedOptions } from 'selfsigned';

/** Both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Default: from a day ago until a day from now. */
export interface Validity {
  readonly from?: Date;
  readonly to?: Date;
}

export interface CertificateOptions extends Validity {
  readonly names: readonly string[];
}

export interface Authority {
  readonly ca: string;
  readonly issue: (options: CertificateOptions) => Promise<Certificate>;
}

const DAY_MS = 86_400_000;
/** Types of `subjectAltName` by RFC 5280. */
const [DNS_NAME, ADDRESS] = [2, 7] as const;

/**
 * An authority for receivers on loopback: those of `webhooks listen` and of tests. Clients trust it only if configured to.
 * Its key is made anew, stored nowhere, and signs only what is issued here.
 */
export async function createAuthority(name: string, validity: Validity = {}): Promise<Authority> {
  const made = await makeCertificate(name, {
    ...datesOf(validity),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const ca = { cert: made.cert, key: made.key };
  return { ca: made.cert, issue: (options) => makeCertificate(options.names[0] ?? '', { ...forNames(options), ca }) };
}

export function selfSigned(options: CertificateOptions): Promise<Certificate> {
  return makeCertificate(options.names[0] ?? '', forNames(options));
}

async function makeCertificate(subject: string, options: SelfsignedOptions): Promise<Certificate> {
  const name = [{ name: 'commonName', value: subject }];
  const { cert, private: key } = await generate(name, { keyType: 'ec', algorithm: 'sha256', ...options });
  return { cert, key };
}

function forNames({ names, ...validity }: CertificateOptions): SelfsignedOptions {
  const altNames = names.map((name) =>
    isIP(name) === 0 ? { type: DNS_NAME, value: name } : { type: ADDRESS, ip: name },
  );
  return { ...datesOf(validity), extensions: altNames.length === 0 ? [] : [{ name: 'subjectAltName', altNames }] };
}

function datesOf({ from, to }: Validity): SelfsignedOptions {
  return {
    notBeforeDate: from ?? new Date(Date.now() - DAY_MS),
    notAfterDate: to ?? new Date(Date.now() + DAY_MS),
  };
}
