import { exportJWK, generateKeyPair, importPKCS8, type JWK } from "jose";
import { SETUP_TOKEN } from "../support/runtime.ts";
import { type Answered, exchange, ownerRequest, successful } from "./exchange.ts";
import type { Grants } from "./journal.ts";
import type { KnownClient, KnownKey, World } from "./world.ts";

/** The first owner, whose session lasts over all restarts. */
export async function setUpOwner(world: World): Promise<void> {
  const body = JSON.stringify({ token: SETUP_TOKEN, organization: "Example", email: "owner@example.com" });
  const outcome = await world.http.send({
    method: "POST",
    url: `${world.url}/api/v1/setup`,
    headers: { "Content-Type": "application/json" },
    body,
  });
  const [cookie = ""] = successful(outcome, "setup").headers["set-cookie"]?.[0]?.split(";") ?? [];
  world.cookie = cookie;
  world.secrets.add("the session cookie", cookie.slice(cookie.indexOf("=") + 1));
  world.secrets.add("the setup token", SETUP_TOKEN);
}

/** Undefined when it is not certain that the client exists. */
export async function createClient(world: World, grants: Grants): Promise<KnownClient | undefined> {
  const request = ownerRequest(world, "POST", "/api-clients", { name: "a client", ...grants });
  const { exchange: done } = await exchange(world, { kind: "create_client", grants }, request, ({ text }) => ({
    client: (JSON.parse(text) as { readonly clientId: string }).clientId,
  }));
  const clientId = done.result?.client;
  if (clientId === undefined) return undefined;
  const client: KnownClient = { clientId, keys: [], grants, deleted: false, changing: false };
  world.clients.push(client);
  return client;
}

/**
 * A pair that the server generates, or one of the owner's own whose public key is registered. A pair whose answer was lost
 * is of no use to anyone.
 */
export async function addKey(world: World, client: KnownClient, registered: boolean): Promise<Answered> {
  const { clientId } = client;
  const own = registered ? await ownKeyPair() : undefined;
  const path = `/api-clients/${clientId}/key-pairs`;
  const request = ownerRequest(world, "POST", path, own === undefined ? undefined : { publicKey: own.publicKey });
  const added = await exchange(world, { kind: "add_key", client: clientId }, request, ({ text }) => ({
    key: (JSON.parse(text) as AddedKey).keyPairId,
  }));
  if (added.answer?.status === 201) {
    const { keyPairId, fingerprint, privateKey: pem } = JSON.parse(added.answer.text) as AddedKey;
    if (pem !== undefined) world.secrets.privateKey(pem);
    const privateKey = own?.privateKey ?? (await importPKCS8(pem ?? "", "ES256"));
    client.keys.push({ keyPairId, fingerprint, privateKey, revoked: false });
  }
  return added;
}

interface AddedKey {
  readonly keyPairId: string;
  readonly fingerprint: string;
  readonly privateKey?: string;
}

async function ownKeyPair(): Promise<{ readonly publicKey: JWK; readonly privateKey: CryptoKey }> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  return { publicKey: await exportJWK(publicKey), privateKey };
}

export function revokeKey(world: World, { clientId }: KnownClient, { keyPairId }: KnownKey): Promise<Answered> {
  const request = ownerRequest(world, "POST", `/api-clients/${clientId}/key-pairs/${keyPairId}/revoke`);
  return exchange(world, { kind: "revoke_key", client: clientId, key: keyPairId }, request, () => ({}));
}

export function changeGrants(world: World, { clientId }: KnownClient, grants: Grants): Promise<Answered> {
  const request = ownerRequest(world, "PATCH", `/api-clients/${clientId}`, grants);
  return exchange(world, { kind: "change_grants", client: clientId, grants }, request, () => ({}));
}

export function deleteClient(world: World, { clientId }: KnownClient, revokeTokens: boolean): Promise<Answered> {
  const request = ownerRequest(world, "DELETE", `/api-clients/${clientId}?revokeTokens=${revokeTokens}`);
  return exchange(world, { kind: "delete_client", client: clientId, revokeTokens }, request, () => ({}));
}
