import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as whole from "@simplewebauthn/server";
import * as wholeHelpers from "@simplewebauthn/server/helpers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleWebauthn } from "../../../infra/build/webauthn-bundle.ts";
import { base64url, fromBase64url } from "../../../lib/kernel/encoding.ts";
import { type AuthenticationAnswer, createAuthenticator, type RegistrationAnswer } from "../../support/passkey.ts";

// The bundles have the passkey library without its certificates (D193). It must decide as the whole library does.

type Library = Pick<typeof whole, "verifyRegistrationResponse" | "verifyAuthenticationResponse"> &
  Pick<typeof wholeHelpers, "decodeAttestationObject">;

const SITE = { rp: { id: "us.example" }, rpId: "us.example", user: { id: "dXNlcg" }, challenge: "Y2hhbGxlbmdl" };
const PAGE = { origin: "https://us.example" };
const EXPECTED = {
  expectedChallenge: SITE.challenge,
  expectedOrigin: PAGE.origin,
  expectedRPID: SITE.rpId,
} as const;

let folder: string;
let bundled: Library;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-webauthn-"));
  await bundleWebauthn(join(folder, "server.mjs"));
  // As Node loads it: what vitest imports has names of CommonJS that no module has on a runtime.
  bundled = createRequire(import.meta.url)(join(folder, "server.mjs")) as Library;
});
afterAll(() => rm(folder, { recursive: true }));

/** What both libraries say; `refused` for every error. */
async function verdicts<Result>(verify: (library: Library) => Promise<Result>): Promise<readonly unknown[]> {
  const libraries = [bundled, { ...whole, ...wholeHelpers }];
  return Promise.all(libraries.map((library) => verify(library).catch(() => "refused")));
}

const registered = (response: RegistrationAnswer) =>
  verdicts((library) =>
    library.verifyRegistrationResponse({
      response: response as Parameters<Library["verifyRegistrationResponse"]>[0]["response"],
      supportedAlgorithmIDs: [-8, -7, -257],
      ...EXPECTED,
    }),
  );

const authenticated = (response: AuthenticationAnswer, publicKey: Uint8Array<ArrayBuffer>) =>
  verdicts((library) =>
    library.verifyAuthenticationResponse({
      response,
      credential: { id: response.id, publicKey, counter: 0 },
      ...EXPECTED,
    }),
  );

test.each(["ES256", "EdDSA", "RS256"] as const)(
  "registers and signs in with %s as the whole library does",
  async (name) => {
    const authenticator = await createAuthenticator(name);
    for (const attestation of [undefined, "self"] as const) {
      const answer = await authenticator.register(SITE, { ...PAGE, ...(attestation && { attestation }) });
      const [lean, full] = await registered(answer);
      expect(lean).toMatchObject({ verified: true });
      expect(lean).toEqual(full);
    }
    const { registrationInfo } = await bundled.verifyRegistrationResponse({
      response: (await authenticator.register(SITE, PAGE)) as never,
      ...EXPECTED,
    });
    const publicKey = registrationInfo?.credential.publicKey as Uint8Array<ArrayBuffer>;
    const [lean, full] = await authenticated(await authenticator.authenticate(SITE, PAGE), publicKey);
    expect(lean).toMatchObject({ verified: true });
    expect(lean).toEqual(full);
  },
);

test("reads ECDSA signatures of any length, and refuses what is not DER", async () => {
  const authenticator = await createAuthenticator("ES256");
  const { registrationInfo } = await bundled.verifyRegistrationResponse({
    response: (await authenticator.register(SITE, PAGE)) as never,
    ...EXPECTED,
  });
  const publicKey = registrationInfo?.credential.publicKey as Uint8Array<ArrayBuffer>;
  const lengths = new Set<number>();
  let answer = await authenticator.authenticate(SITE, PAGE);
  // One signature in some 64 has a number that is shorter than the others'.
  for (let tries = 0; lengths.size < 3 || tries < 64; tries++) {
    answer = await authenticator.authenticate(SITE, PAGE);
    const [lean] = await authenticated(answer, publicKey);
    expect(lean).toMatchObject({ verified: true });
    lengths.add(signatureOf(answer).length);
  }
  const good = signatureOf(answer);
  const broken = [
    ...[...good.keys()].map((at) => good.with(at, (good[at] as number) ^ 1)),
    ...[...good.keys()].map((length) => good.subarray(0, length)),
    new Uint8Array([...good, 0]),
    new Uint8Array([0x30, 0x80, ...good.subarray(2), 0, 0]),
    new Uint8Array([0x30, 0x81, ...good.subarray(1)]),
    new Uint8Array([0x30, 0x02, 0x02, 0x00]),
    createHash("sha256").update(good).digest(),
  ];
  for (const signature of broken) {
    const [lean] = await authenticated(withSignature(answer, signature), publicKey);
    expect(lean === "refused" || (lean as { verified: boolean }).verified === false, base64url(signature)).toBe(true);
  }
});

test("refuses attestations with certificates, which nobody has asked for", async () => {
  const authenticator = await createAuthenticator("ES256");
  for (const format of ["tpm", "android-key", "android-safetynet", "apple", "fido-u2f", "packed"]) {
    const statement = { alg: -7, sig: new Uint8Array(70), x5c: [new Uint8Array([0x30, 0x00])], ver: "2.0" };
    const [lean] = await registered(
      await authenticator.register(SITE, { ...PAGE, attestation: { format, statement } }),
    );
    expect(lean).toBe("refused");
  }
});

function signatureOf({ response }: AuthenticationAnswer): Uint8Array<ArrayBuffer> {
  return fromBase64url(response.signature) as Uint8Array<ArrayBuffer>;
}

function withSignature(answer: AuthenticationAnswer, signature: Uint8Array): AuthenticationAnswer {
  return { ...answer, response: { ...answer.response, signature: base64url(signature) } };
}
