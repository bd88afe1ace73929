import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { findClient } from "../../../lib/authorization-server/clients/find-client.ts";
import { answerOf } from "../../behaviour/fixture.ts";
import { PROVIDER } from "../../support/in-process.ts";
import { REGISTRATION, type Started, startForClients } from "./started.ts";

describe("the scopes of a client that registers", () => {
  let product: Started;
  beforeAll(async () => {
    product = await startForClients();
  });
  afterAll(() => product.close());

  const register = async (metadata: object, from: Started = product) => {
    const body = JSON.stringify({ redirect_uris: ["https://agent.example/cb"], ...metadata });
    const headers = { "Content-Type": "application/json" };
    const answer = await answerOf(from.send("/oauth2/register", { method: "POST", headers, body }));
    expect(answer.status).toBe(201);
    return answer.body as { readonly client_id: string; readonly scope?: string };
  };
  const scopesOf = async (clientId: string, dependencies: Dependencies) =>
    (await findClient(clientId, dependencies))?.scopes;

  test.each<[string, { readonly scope?: string }, string]>([
    ["names none: all that such clients may have", {}, "openid profile books:read"],
    ["sends an empty one: the same", { scope: "" }, "openid profile books:read"],
    [
      "names those alone that it cannot have: the same",
      { scope: "agents offline_access" },
      "openid profile books:read",
    ],
    ["names some of them: these", { scope: "books:read offline_access openid" }, "openid books:read"],
  ])("which %s, and the answer tells them", async (_, metadata, scope) => {
    const client = await register(metadata);
    expect(client.scope).toBe(scope);
    expect(await scopesOf(client.client_id, product.dependencies)).toEqual(scope.split(" "));
  });

  test("which named none of its own follow the configuration", async () => {
    const all = await register({});
    const some = await register({ scope: "openid" });
    const { configuration } = product.dependencies.configuration();
    const registration = { ...REGISTRATION, scopes: ["openid", "books:write"] };
    const changed = { ...configuration, oidcProvider: { ...PROVIDER, registration } };
    const dependencies = { ...product.dependencies, configuration: () => ({ revision: 1, configuration: changed }) };
    expect(await scopesOf(all.client_id, dependencies)).toEqual(["openid", "books:write"]);
    expect(await scopesOf(some.client_id, dependencies)).toEqual(["openid"]);
  });

  test("are not told where such clients may have none", async () => {
    const registration = { ...REGISTRATION, scopes: [] };
    const bare = await startForClients([], { oidcProvider: { ...PROVIDER, registration } });
    try {
      expect(await register({ scope: "books:read" }, bare)).not.toHaveProperty("scope");
    } finally {
      await bare.close();
    }
  });
});
