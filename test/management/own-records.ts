import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { personId } from "../../lib/stores/identities.ts";
import { connected } from "../contract/connection-records.ts";
import { auditEvent } from "../contract/records.ts";
import { ISSUER, START } from "../support/in-process.ts";
import { type CreationOptions, createAuthenticator, type RequestOptions } from "../support/passkey.ts";
import type { ExampleCall, ExampleCaller } from "./example-calls.ts";
import { CONNECTOR } from "./instance.ts";
import type { World } from "./people.ts";

/** A further passkey of the person's, which nobody can use; resolves to its id. */
export async function addedPasskey({ product }: World, userId: string): Promise<string> {
  const passkey = {
    ...{ credentialId: crypto.randomUUID(), userId, name: "Phone", publicKey: "key", counter: 0 },
    ...{ transports: [], backupEligible: true, backedUp: true, createdAt: START, lastUsedAt: START },
  };
  await product.dependencies.stores.passkeys.addPasskey(passkey, auditEvent({ type: "passkey.added" }));
  return passkey.credentialId;
}

/** A further account of the person's at the connector; resolves to its subject. */
export async function linkedIdentity({ product }: World, userId: string): Promise<string> {
  const subject = crypto.randomUUID();
  await product.dependencies.stores.identities.linkIdentity(
    {
      issuer: "https://corp.example",
      subject,
      userId,
      connector: CONNECTOR,
      label: "ann@corp.example",
      createdAt: START,
    },
    auditEvent({ type: "identity.linked" }),
  );
  return subject;
}

/** As connections and consents name a further account of theirs. */
export async function personOf(world: World, userId: string): Promise<string> {
  return personId({ issuer: "https://corp.example", subject: await linkedIdentity(world, userId) });
}

/** A connection of an account of the person's, in the first organization. */
export async function ownConnection(world: World, userId: string): Promise<ConnectionRecord> {
  const { product, organizationId } = world;
  const person = await personOf(world, userId);
  return connected(product.dependencies.stores, { organizationId, person, connectedAt: START, lastUsedAt: START });
}

/** What the caller's browser made of the options that the caller got; where the caller got none, something that is none. */
export async function newPasskeyBody(world: World, { credentials }: ExampleCaller): Promise<ExampleCall> {
  const { options, cookie } = await begun(world, "/api/v1/passkeys/options", credentials);
  if (cookie === undefined) return { body: { response: { id: "1", rawId: "1", type: "public-key", response: {} } } };
  const authenticator = await createAuthenticator();
  return { body: { name: "Laptop", response: await authenticator.register(options, { origin: ISSUER }) }, cookie };
}

/** A use of a new passkey by its person, who is new. */
export async function usedPasskeyBody(world: World): Promise<ExampleCall> {
  const credentials = { Cookie: await world.cookieOf(await world.newMember()) };
  const authenticator = await createAuthenticator();
  const creation = await begun(world, "/api/v1/passkeys/options", credentials);
  const response = await authenticator.register(creation.options, { origin: ISSUER });
  await world.product.send("/api/v1/passkeys", {
    method: "POST",
    headers: { "Content-Type": "application/json", Cookie: `${credentials.Cookie}; ${creation.cookie}` },
    body: JSON.stringify({ response }),
  });
  const { options, cookie } = await begun(world, "/api/v1/sign-in/passkey/options", {});
  return {
    body: await authenticator.authenticate(options, { origin: ISSUER }),
    ...(cookie !== undefined && { cookie }),
  };
}

/** The options of a ceremony, and the cookie that it is bound to; undefined where the caller gets none. */
async function begun({ product }: World, path: string, headers: Readonly<Record<string, string>>) {
  const answer = await product.send(path, { method: "POST", headers });
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
  return { options: (await answer.json()) as CreationOptions & RequestOptions, cookie };
}
