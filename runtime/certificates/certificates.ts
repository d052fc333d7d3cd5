import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { bitString, bytes, constructed, integer, objectId, octets, sequence, set, TRUE, time, utf8 } from './der.ts';

/** A certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  /** Names and addresses that it is for. */
  readonly names: readonly string[];
  /** Now minus and plus a day, unless given. */
  readonly from?: Date;
  readonly to?: Date;
}

/** An authority: its certificate as PEM, and how it makes others. */
export interface Authority {
  readonly ca: string;
  readonly issue: (options: CertificateOptions) => Certificate;
}

const DAY_MS = 86_400_000;
const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
/** Object identifiers, from RFC 5280. */
const [COMMON_NAME, KEY_USAGE, ALT_NAME, BASIC_CONSTRAINTS] = ['2.5.4.3', '2.5.29.15', '2.5.29.17', '2.5.29.19'];
/** The bits keyCertSign and cRLSign. */
const SIGNS_CERTIFICATES = 0x06;

/**
 * An authority that nobody trusts unless told to, for receivers on loopback: those of `webhooks listen` and of tests (decision
 * 0053). Its key is made anew, kept nowhere, and signs only what is issued here.
 */
export function createAuthority(name: string, times: Pick<CertificateOptions, 'from' | 'to'> = {}): Authority {
  const keys = generateKeys();
  const signer = { name, key: keys.privateKey };
  const isAuthority = extension(BASIC_CONSTRAINTS, { isCritical: true, value: sequence(TRUE) });
  const usage = extension(KEY_USAGE, { isCritical: true, value: bitString([SIGNS_CERTIFICATES], 1) });
  const extensions = [isAuthority, usage];
  const ca = certificate({ subject: name, publicKey: keys.publicKey, signer, extensions, ...times });
  return {
    ca,
    issue: ({ names, ...issuedTimes }) => {
      const { publicKey, privateKey } = generateKeys();
      const subject = names[0] ?? '';
      return {
        cert: certificate({ subject, publicKey, signer, extensions: [altNames(names)], ...issuedTimes }),
        key: pem(privateKey),
      };
    },
  };
}

/** A certificate that no authority has signed. */
export function selfSigned({ names, ...times }: CertificateOptions): Certificate {
  const { publicKey, privateKey } = generateKeys();
  const subject = names[0] ?? '';
  const signer = { name: subject, key: privateKey };
  return {
    cert: certificate({ subject, publicKey, signer, extensions: [altNames(names)], ...times }),
    key: pem(privateKey),
  };
}

interface Parts {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signer: { readonly name: string; readonly key: KeyObject };
  readonly extensions: readonly Buffer[];
  readonly from?: Date;
  readonly to?: Date;
}

function certificate({ subject, publicKey, signer, extensions, ...times }: Parts): string {
  const { from = new Date(Date.now() - DAY_MS), to = new Date(Date.now() + DAY_MS) } = times;
  const content = sequence(
    constructed(0, integer([2])), // The third version.
    integer([0x40, ...randomBytes(15)]),
    ECDSA_SHA256,
    distinguishedName(signer.name),
    sequence(time(from), time(to)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    constructed(3, sequence(...extensions)),
  );
  const whole = sequence(content, ECDSA_SHA256, bitString(sign('sha256', content, signer.key), 0));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function distinguishedName(name: string): Buffer {
  return sequence(set(sequence(objectId(COMMON_NAME), utf8(name))));
}

function extension(
  id: string,
  { isCritical, value }: { readonly isCritical: boolean; readonly value: Buffer },
): Buffer {
  return sequence(objectId(id), ...(isCritical ? [TRUE] : []), octets(value));
}

function altNames(names: readonly string[]): Buffer {
  const [DNS_NAME, ADDRESS] = [2, 7];
  const values = names.map((name) =>
    isIP(name) === 0
      ? bytes(0x80 | DNS_NAME, Buffer.from(name))
      : bytes(0x80 | ADDRESS, ipaddr.parse(name).toByteArray()),
  );
  return extension(ALT_NAME, { isCritical: false, value: sequence(...values) });
}

function generateKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
