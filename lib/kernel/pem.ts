import { base64, fromBase64url } from "./encoding.ts";

/**
 * Keys in the older PEM forms, as what WebCrypto reads: `RSA PRIVATE KEY` (PKCS #1, RFC 8017 appendix A.1.2) and
 * `EC PRIVATE KEY` (SEC 1, RFC 5915) on P-256 become `PRIVATE KEY` (PKCS #8, RFC 5208), and `RSA PUBLIC KEY` becomes
 * `PUBLIC KEY` (SubjectPublicKeyInfo, RFC 5280). Only what names the algorithm is put around them. Any other text stays what
 * it is, a key with a passphrase too.
 */
export function standardPem(text: string): string {
  const [, label = "", body = ""] = BLOCK.exec(text.replace(PARAMETERS, "")) ?? [];
  const wrap = Object.hasOwn(WRAPPERS, label) ? WRAPPERS[label] : undefined;
  const key = wrap && fromBase64url(body.replaceAll(/[\s=]/g, "").replaceAll("+", "-").replaceAll("/", "_"));
  if (wrap === undefined || key === undefined) return text;
  const standard = label.replace(/^(?:RSA|EC) /, "");
  const lines = base64(wrap(key)).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${standard}-----`, ...lines, `-----END ${standard}-----`, ""].join("\n");
}

const BLOCK = /^\s*-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/;
/** OpenSSL writes the curve once more in front of the key. */
const PARAMETERS = /^\s*-----BEGIN EC PARAMETERS-----[A-Za-z0-9+/=\s]*-----END EC PARAMETERS-----/;

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const SEQUENCE = 0x30;

/** `AlgorithmIdentifier` of rsaEncryption (RFC 8017 appendix C), with its NULL. */
const RSA = element(SEQUENCE, [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01], [0x05, 0x00]);
/** That of id-ecPublicKey with prime256v1 (RFC 5480 §2.1.1). */
const P256 = element(
  SEQUENCE,
  [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01],
  [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
);

const WRAPPERS: Readonly<Record<string, (key: Uint8Array) => Uint8Array>> = {
  "RSA PRIVATE KEY": (key) => privateKeyInfo(RSA, key),
  "EC PRIVATE KEY": (key) => privateKeyInfo(P256, key),
  "RSA PUBLIC KEY": (key) => element(SEQUENCE, RSA, element(BIT_STRING, [0], key)),
};

function privateKeyInfo(algorithm: Uint8Array, key: Uint8Array): Uint8Array {
  return element(SEQUENCE, element(INTEGER, [0]), algorithm, element(OCTET_STRING, key));
}

/** One element in DER (X.690 §8.1): its tag, its length and its content. */
function element(tag: number, ...parts: readonly ArrayLike<number>[]): Uint8Array {
  const content = parts.flatMap((part) => Array.from(part));
  return Uint8Array.from([tag, ...lengthOf(content.length), ...content]);
}

/** X.690 §8.1.3: one byte below 128, else the number of bytes and these. */
function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}
