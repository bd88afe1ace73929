import type { Context } from "hono";
import { removePasskey, representPasskey } from "../../lib/directory/passkeys/administration.ts";
import { CHALLENGE_LIFETIME } from "../../lib/directory/passkeys/challenge.ts";
import {
  beginRegistration,
  type RegisteringPerson,
  registerPasskey,
} from "../../lib/directory/passkeys/registration.ts";
import { requireRecentSignIn } from "../../lib/directory/recent-sign-in.ts";
import type { Passkey, PasskeyList } from "../../lib/management/schemas/passkeys.ts";
import type { Endpoint, Env } from "../env.ts";
import { authenticatePerson, type PersonCaller } from "../middleware/caller.ts";
import { readPasskeyCookie, writePasskeyCookie } from "../middleware/ceremony-cookies.ts";
import { answerJson, readEmptyBody, readJsonObject } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";

/** POST: what a browser needs to make a passkey; good for five minutes, in this session, once. */
export const beginPasskey: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  await readEmptyBody(c);
  await requireRecentSignIn(dependencies, caller);
  const { options, binding } = await beginRegistration(dependencies, registeringPerson(c, caller));
  writePasskeyCookie(c, binding);
  return answerJson<object>(c, options);
};

/** POST `{name?, response}`: 201 with the passkey. */
export const addPasskey: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const input = await readJsonObject(c);
  await requireRecentSignIn(dependencies, caller, CHALLENGE_LIFETIME);
  const passkey = await registerPasskey(dependencies, input, registeringPerson(c, caller));
  return answerJson<Passkey>(c, representPasskey(passkey), 201);
};

/** GET: the person's own, oldest first. */
export const listPasskeys: Endpoint = (dependencies) => async (c) => {
  const { id } = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const passkeys = await dependencies.stores.passkeys.listPasskeys(id);
  return answerJson<PasskeyList>(c, { items: passkeys.map(representPasskey) });
};

/** DELETE: 204; 409 for the last way to sign in. */
export const deletePasskey: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  await requireRecentSignIn(dependencies, caller);
  const { requestId } = c.get("request");
  await removePasskey(dependencies, c.req.param("passkeyId") ?? "", { userId: caller.id, requestId });
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};

function registeringPerson(c: Context<Env>, { id: userId, sessionId }: PersonCaller): RegisteringPerson {
  const { requestId } = c.get("request");
  return { userId, sessionId, requestId, binding: readPasskeyCookie(c) };
}
