import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeJson, type Signer, tokenParameters } from "../behaviour/fixture.ts";
import { counted } from "../support/counted.ts";
import { eventually } from "../support/eventually.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";
import { assertionNow, sendAssertion, sendForm, signerOf } from "./in-process-client.ts";

describe("what a refused token request makes the product do", () => {
  const calls = { names: [] as string[] };
  let product: InProcess;
  let signer: Signer;
  let form: string;

  beforeAll(async () => {
    product = await startInProcess({ adapt: (dependencies) => counted(dependencies, calls) });
    signer = await signerOf(await product.createClient());
    form = new URLSearchParams(tokenParameters(await assertionNow(product, signer))).toString();
  });
  beforeEach(() => {
    calls.names.length = 0;
  });
  afterAll(() => product.close());

  test.each([
    ["a duplicate parameter", (good: string) => `${good}&scope=a&scope=b`],
    ["two authentication methods", (good: string) => `${good}&client_secret=x`],
    ["a null character", (good: string) => `${good}&x=%00`],
    ["64 KiB and more", (good: string) => `${good}&x=${"a".repeat(64 * 1024)}`],
    ["an unknown grant", (good: string) => good.replace("client_credentials", "password")],
    ["no assertion", (good: string) => good.replace(/client_assertion=[^&]+/, "client_assertion=")],
    ["an assertion that is no JWS", (good: string) => good.replace(/client_assertion=[^&]+/, "client_assertion=a.b")],
  ])("9. %s: nothing is read, verified or written", async (_, spoil) => {
    const { status } = await sendForm(product, "/oauth2/token", spoil(form));
    expect(status === 400 || status === 413).toBe(true);
    expect(calls.names).toEqual([]);
  });

  test("9. a JSON body, and a streamed body that grows too large, cause nothing either", async () => {
    const json = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
    expect((await product.send("/oauth2/token", json)).status).toBe(400);
    const part = new TextEncoder().encode("a".repeat(16 * 1024));
    let pulled = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(part);
      },
    });
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const streamed = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    expect((await product.send("/oauth2/token", streamed)).status).toBe(413);
    expect(pulled).toBeLessThan(10);
    expect(calls.names).toEqual([]);
  });

  test("9. a header that cannot verify is refused without a read", async () => {
    await sendAssertion(product, await assertionNow(product, signer, { header: { alg: "RS256" } }));
    expect(calls.names).toEqual([]);
  });

  const forgedWith = async (header: Readonly<Record<string, unknown>>) => {
    const other = await signerOf(await product.createClient());
    calls.names.length = 0;
    await sendAssertion(product, await assertionNow(product, { ...signer, key: other.key }, { header }));
    await product.settled();
    return calls.names;
  };

  test("9. a forged signature writes nothing, and costs a second read to see whether a revoked key made it", async () => {
    const first = ["apiClients.getForVerification", "signatures.verify"];
    expect(await forgedWith({})).toEqual([...first, "apiClients.get"]);
  });

  test("9. where it names a key that is active, or what is no fingerprint, the second read is saved", async () => {
    const { record } = await product.dependencies.stores.apiClients.getForVerification(signer.clientId);
    const kid = record?.keyPairs[0]?.fingerprint;
    expect(await forgedWith({ kid })).toEqual(["apiClients.getForVerification", "signatures.verify"]);
    expect(await forgedWith({ kid: "no-fingerprint" })).toEqual(["apiClients.getForVerification"]);
  });

  test("9. a correct request is one read, one verification and one write; the first of an hour notes its use", async () => {
    const work = ["apiClients.getForVerification", "signatures.verify", "tokens.issue"];
    expect((await sendAssertion(product, await assertionNow(product, signer))).status).toBe(200);
    expect(calls.names).toEqual([...work, "apiClients.recordUse"]);
    await eventually(
      () => uses(product, signer.clientId),
      (hours) => hours.length === 1,
    );
    calls.names.length = 0;
    expect((await sendAssertion(product, await assertionNow(product, signer))).status).toBe(200);
    expect(calls.names).toEqual(work);
  });

  test("9. a header of deeply nested JSON is refused cleanly", async () => {
    const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const assertion = `${encodeJson({ alg: "ES256" })}.${btoa(`{"sub":${nested}}`).replaceAll("=", "")}.AA`;
    expect((await sendAssertion(product, assertion)).status).toBe(400);
  });
});

/** The noted uses of the client's keys. */
async function uses({ dependencies }: InProcess, clientId: string): Promise<readonly number[]> {
  const { record } = await dependencies.stores.apiClients.getForVerification(clientId);
  return record?.keyPairs.flatMap(({ lastUsedAt }) => lastUsedAt ?? []) ?? [];
}
