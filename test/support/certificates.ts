import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import { bitString, boolean, type Der, integer, octets, oid, sequence, set, tagged, time, utf8 } from "./der.ts";

/** A certificate with its private key, both PEM. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateFields {
  /** Host names and IPv4 addresses that it is for, the first its common name; `localhost` and 127.0.0.1 unless given. */
  readonly names?: readonly string[];
  /** From an hour ago to an hour from now unless given. */
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** An authority of its own, that nobody trusts unless its `cert` is given to them. */
export interface CertificateAuthority {
  readonly cert: string;
  /** A certificate for servers and clients. */
  issue(fields?: CertificateFields): Issued;
}

export function createAuthority(name = "Test authority"): CertificateAuthority {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = { name, key: privateKey };
  return {
    cert: certificate({ issuer, publicKey, subject: name, extensions: [IS_AUTHORITY] }),
    issue: (fields = {}) => {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const { names = ["localhost", "127.0.0.1"] } = fields;
      const extensions = [extension("2.5.29.17", sequence(...names.map(alternativeName)))];
      const [subject = ""] = names;
      return {
        cert: certificate({ ...fields, issuer, publicKey: own.publicKey, subject, extensions }),
        key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      };
    },
  };
}

interface CertificateParts extends Pick<CertificateFields, "notBefore" | "notAfter"> {
  readonly issuer: { readonly name: string; readonly key: KeyObject };
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Der[];
}

const HOUR = 3_600_000;
const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const VERSION_3 = tagged(0xa0, integer(Buffer.from([2])));
/** Basic constraints, critical: cA. */
const IS_AUTHORITY = sequence(oid("2.5.29.19"), boolean(true), octets(sequence(boolean(true))));

/** RFC 5280 section 4.1, as PEM. */
function certificate({ issuer, subject, publicKey, extensions, ...lifetime }: CertificateParts): string {
  const { notBefore = new Date(Date.now() - HOUR), notAfter = new Date(Date.now() + HOUR) } = lifetime;
  const content = sequence(
    VERSION_3,
    integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    commonName(issuer.name),
    sequence(time(notBefore), time(notAfter)),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signed = sequence(content, ECDSA_WITH_SHA256, bitString(sign("sha256", content, issuer.key)));
  const lines = signed.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function commonName(name: string): Der {
  return sequence(set(sequence(oid("2.5.4.3"), utf8(name))));
}

function extension(id: string, content: Der): Der {
  return sequence(oid(id), octets(content));
}

function alternativeName(name: string): Der {
  return isIPv4(name) ? tagged(0x87, Buffer.from(name.split(".").map(Number))) : tagged(0x82, Buffer.from(name));
}
