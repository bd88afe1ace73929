import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { liftStops, placeStop } from "../../lib/stops/change-stops.ts";
import {
  askToken,
  codeForm,
  postTo,
  refreshForm,
  signedIn,
  startChain,
  startWithApps,
  tokensOf,
} from "../support/chains.ts";
import type { InProcess } from "../support/in-process.ts";
import { AGENT, PUBLIC_AGENT } from "../support/oauth-apps.ts";

describe("52. a refresh by an agent that is stopped", () => {
  let product: InProcess;
  let organizationId: string;
  beforeAll(async () => {
    product = await startWithApps({ apps: [AGENT, PUBLIC_AGENT] });
    const { directory } = product.dependencies.stores;
    organizationId = (await directory.firstOrganization())?.organizationId ?? "";
  });
  afterEach(() => liftStops(product.dependencies, operator(), "It was mended.", () => true));
  afterAll(() => product.close());

  const operator = () => ({ id: "operator", organizationId, requestId: "request", isOperator: true as const });
  const stop = (kind: string, id: string, state = "suspended") =>
    placeStop(product.dependencies, operator(), { kind, id, state, reason: "It does harm." });
  const records = async (agent: string) => {
    const { stores } = product.dependencies;
    const filter = { organizationId: organizationId || undefined, type: "token.refused", agent };
    return (await stores.auditLog.query(filter, { limit: 50 })).items;
  };
  const refreshed = async (text: string) => {
    const { status, body } = await askToken(product, AGENT.clientID, refreshForm(text));
    return [status, (body as { readonly error?: string }).error];
  };

  test("is refused as every other, and recorded the first time; then it is counted", async () => {
    const { refresh_token } = await signedIn(product);
    await stop("agent", AGENT.clientID);
    for (let i = 0; i < 25; i++) expect(await refreshed(refresh_token)).toEqual([400, "invalid_grant"]);
    const by = { actor: AGENT.clientID, agent: AGENT.clientID, names: { [AGENT.clientID]: AGENT.name } };
    const details = { clientId: AGENT.clientID, grantType: "refresh_token" };
    const record = { ...by, outcome: "refused", reason: "stopped", details };
    expect(await records(AGENT.clientID)).toMatchObject([record]);
    await product.dependencies.refusals.flush();
    const all = await records(AGENT.clientID);
    expect(all.map(({ count = 1 }) => count).sort()).toEqual([1, 24]);
    expect(all).toMatchObject([record, record]);
  });

  test("is recorded where its organization is stopped, and of a public client without an actor", async () => {
    const client_id = PUBLIC_AGENT.clientID;
    const { code } = await startChain(product, { clientId: client_id, organizationId });
    const { refresh_token } = tokensOf(await postTo(product, "/oauth2/token", codeForm(code, { client_id })));
    await stop("organization", organizationId);
    expect((await postTo(product, "/oauth2/token", refreshForm(refresh_token, { client_id }))).status).toBe(400);
    const [record] = await records(PUBLIC_AGENT.clientID);
    expect(record).toMatchObject({ reason: "stopped", agent: PUBLIC_AGENT.clientID });
    expect(record).not.toHaveProperty("actor");
  });

  test("leaves nothing where the agent is not stopped, where only its tokens were ended, and where it is another", async () => {
    const before = (await records(AGENT.clientID)).length;
    const { refresh_token } = await signedIn(product);
    expect((await refreshed(`${refresh_token}x`))[0]).toBe(400);
    await stop("agent", AGENT.clientID, "ended");
    await refreshed(refresh_token);
    await stop("agent", "somebody-else");
    await refreshed(`${refresh_token}x`);
    await product.dependencies.refusals.flush();
    expect(await records(AGENT.clientID)).toHaveLength(before);
  });
});
