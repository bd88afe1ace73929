import { createPrivateKey } from "node:crypto";
import type { AssertionSource } from "./assertions.ts";
import { EDGE_VARIABLES } from "./edge.ts";

/** Makes an API client with a key pair on a fresh instance, over its management API. */
export async function makeClient(url: string): Promise<AssertionSource> {
  const owner = { token: EDGE_VARIABLES.CS_COUNTERSIGN_SETUP_TOKEN, organization: "Bench", email: "owner@example.com" };
  const { response } = await post(`${url}/api/v1/setup`, owner);
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { body: client } = await post(`${url}/api/v1/api-clients`, { name: "bench" }, cookie);
  const clientId = client.clientId as string;
  const { body: keyPair } = await post(`${url}/api/v1/api-clients/${clientId}/key-pairs`, {}, cookie);
  return { clientId, privateKey: createPrivateKey(keyPair.privateKey as string), audience: EDGE_VARIABLES.PUBLIC_URL };
}

async function post(url: string, value: unknown, cookie?: string) {
  const headers = { "Content-Type": "application/json", ...(cookie !== undefined && { Cookie: cookie }) };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(value) });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(body)}`);
  return { response, body };
}
