import { isIP } from 'node:net';
import { generate, type SelfsignedOptions } from 'selfsigned';

/** A certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** From when and until when a certificate is valid: now minus and plus a day, unless given. */
export interface Validity {
  readonly from?: Date;
  readonly to?: Date;
}

export interface CertificateOptions extends Validity {
  /** Names and addresses that it is for. */
  readonly names: readonly string[];
}

/** An authority: its certificate as PEM, and how it issues others. */
export interface Authority {
  readonly ca: string;
  readonly issue: (options: CertificateOptions) => Promise<Certificate>;
}

const DAY_MS = 86_400_000;
/** Kinds of names in a certificate, as RFC 5280 numbers them. */
const [DNS_NAME, ADDRESS] = [2, 7] as const;

/**
 * An authority that nobody trusts unless told to, for receivers on loopback: those of `webhooks listen` and of tests.
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

/** A certificate that no authority has signed. */
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
