import { afterAll, beforeAll, expect, test } from "vitest";
import { managementAudience } from "../../lib/api-clients/audiences.ts";
import { auditEvent } from "../../lib/audit/event.ts";
import { mintAccessToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { newChainId } from "../../lib/authorization-server/tokens/sharding.ts";
import type { TokenRecord } from "../../lib/stores/tokens.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, START, startInProcess } from "../support/in-process.ts";

let product: InProcess;
beforeAll(async () => {
  const console = { ...CONSOLE, enabled: true, baseURL: "https://us.example" };
  product = await startInProcess({ configuration: { console } });
});
afterAll(() => product.close());

/** A token for the management API that comes of a chain, with the permission that the call needs. */
async function token(fields: Partial<TokenRecord>, type: "opaque" | "jwt"): Promise<string> {
  const { dependencies } = product;
  const { organizationId } = (await dependencies.stores.directory.firstOrganization()) ?? {};
  const record: TokenRecord = {
    tokenId: "tok_1",
    chainId: newChainId(7, START, dependencies.random),
    clientId: "gateway",
    ...(organizationId !== undefined && { organizationId }),
    subject: "user_1",
    audience: managementAudience(dependencies.configuration().configuration),
    scopes: ["audit:read"],
    issuedAt: START,
    expiresAt: START + 60_000,
    ...fields,
  };
  const { text, stored } = await mintAccessToken(record, type, dependencies);
  const event = auditEvent(dependencies, { type: "token.exchanged", outcome: "success" });
  await dependencies.stores.tokens.exchange({ token: record, ...(stored && { reference: stored.reference }), event });
  return text;
}

const statusOf = async (text: string) => {
  const answer = await product.send("/api/v1/audit-events", { headers: { Authorization: `Bearer ${text}` } });
  await answer.body?.cancel();
  return answer.status;
};

test("32. a token that acts for a person, or for another client, is no API client to the management API", async () => {
  expect(await statusOf(await token({}, "opaque"))).toBe(403);
  expect(await statusOf(await token({ subject: "client_1", apiClientId: "client_1" }, "opaque"))).toBe(403);
});

test("32. a JWT is none of its tokens", async () => {
  expect(await statusOf(await token({}, "jwt"))).toBe(401);
  expect(await statusOf(await token({ subject: "gateway" }, "jwt"))).toBe(401);
});
