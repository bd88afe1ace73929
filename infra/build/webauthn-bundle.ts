import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

/**
 * Leaves out what the passkey library has for attestations that are refused before it sees them: formats with certificates,
 * and the packages that parse those (D193). The bundle fails when the library no longer has one of the files.
 */
export const webauthnWithoutCertificates: Plugin = {
  name: "webauthn-without-certificates",
  setup({ onStart, onResolve, onLoad, onEnd }) {
    const missing = new Set<string>();
    let isUsed = false;
    onStart(() => {
      isUsed = false;
      missing.clear();
      for (const file of LEFT_OUT_FILES) missing.add(file);
    });
    onResolve({ filter: ASN1_PACKAGE }, ({ importer }) =>
      LIBRARY_FILE.test(importer) ? { path: SIGNATURE_READER } : undefined,
    );
    onResolve({ filter: CERTIFICATE_PACKAGE }, ({ path, importer }) =>
      LIBRARY_FILE.test(importer) ? { path, namespace: EMPTY } : undefined,
    );
    onResolve({ filter: /^\..*\.js$/ }, ({ path, importer, resolveDir }) => {
      if (!LIBRARY_FILE.test(importer)) return undefined;
      isUsed = true;
      const imported = join(resolveDir, path).replaceAll("\\", "/");
      const file = LEFT_OUT_FILES.find((name) => imported.endsWith(`/${name}.js`));
      if (file === undefined) return undefined;
      missing.delete(file);
      return { path: file, namespace: EMPTY };
    });
    onLoad({ filter: /.*/, namespace: EMPTY }, () => NOTHING);
    onEnd(() => ({
      errors: isUsed ? [...missing].map((name) => ({ text: `@simplewebauthn/server has no ${name} any more.` })) : [],
    }));
  },
};

const LIBRARY_FILE = /[\\/]@simplewebauthn[\\/]server[\\/]esm[\\/].*\.js$/;
const CERTIFICATE_PACKAGE =
  /^(?:@peculiar\/(?:x509|asn1-android|asn1-rsa|asn1-x509|asn1-x509-post-quantum)|reflect-metadata)$/;
const ASN1_PACKAGE = /^@peculiar\/asn1-(?:schema|ecc)$/;
const SIGNATURE_READER = fileURLToPath(new URL("./ecdsa-signature.ts", import.meta.url));

const LEFT_OUT_FILES = [
  "helpers/convertCertBufferToPEM",
  "helpers/convertX509PublicKeyToCOSE",
  "helpers/getCertificateInfo",
  "helpers/isCertRevoked",
  "helpers/validateCertificatePath",
  "helpers/validateExtFIDOGenCEAAGUID",
  "metadata/verifyAttestationWithMetadata",
  "metadata/verifyMDSBlob",
  "registration/verifications/tpm/verifyAttestationTPM",
  "registration/verifications/verifyAttestationAndroidKey",
  "registration/verifications/verifyAttestationAndroidSafetyNet",
  "registration/verifications/verifyAttestationApple",
  "registration/verifications/verifyAttestationFIDOU2F",
  "services/defaultRootCerts/android-key",
  "services/defaultRootCerts/android-safetynet",
  "services/defaultRootCerts/apple",
  "services/defaultRootCerts/mds",
  "services/metadataService",
];

const EMPTY = "left-out";
/** CommonJS, whose names are looked up when they are used. The library's own files are no CommonJS, as its package says. */
const NOTHING = { contents: "module.exports = {};", loader: "js" } as const;

/** Whether esbuild's path of an input stands for what is left out, which is no file. */
export function isLeftOut(input: string): boolean {
  return input.startsWith(`${EMPTY}:`);
}

/**
 * What `lib/directory/passkeys` uses, from the files that have it: the library's index also lists what it exports as an object,
 * for the sake of a file that is left out, so that all of it would be in the bundle.
 */
const USED = `
export { verifyAuthenticationResponse } from "../esm/authentication/verifyAuthenticationResponse.js";
export { decodeAttestationObject } from "../esm/helpers/decodeAttestationObject.js";
export { verifyRegistrationResponse } from "../esm/registration/verifyRegistrationResponse.js";
`;

/** Writes the library as one module, which stands for both of its names. */
export async function bundleWebauthn(file: string): Promise<void> {
  await build({
    stdin: { contents: USED, resolveDir: dirname(createRequire(import.meta.url).resolve("@simplewebauthn/server")) },
    outfile: file,
    bundle: true,
    format: "esm",
    target: "es2024",
    legalComments: "none",
    logLevel: "warning",
    plugins: [webauthnWithoutCertificates],
  });
}
