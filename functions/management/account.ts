import type { Context } from "hono";
import { endOwnSession, listBrowserSessions as list } from "../../lib/directory/browser-sessions.ts";
import { unlinkIdentity as unlink } from "../../lib/directory/connector-sign-in/linked-accounts.ts";
import { CHALLENGE_LIFETIME } from "../../lib/directory/passkeys/ceremony.ts";
import {
  beginRegistration,
  type RegisteringPerson,
  registerPasskey,
  removePasskey,
} from "../../lib/directory/passkeys/own-passkeys.ts";
import { requirePasskeySignIn, requireRecentSignIn } from "../../lib/directory/sign-in-methods.ts";
import type { ACCOUNT_OPERATIONS } from "../../lib/management/operations/account.ts";
import {
  representBrowserSession,
  representIdentity,
  representPasskey,
} from "../../lib/management/representations/directory.ts";
import type { BrowserSessionList } from "../../lib/management/schemas/browser-sessions.ts";
import type { IdentityList } from "../../lib/management/schemas/identities.ts";
import type { Passkey, PasskeyList } from "../../lib/management/schemas/passkeys.ts";
import type { Env } from "../env.ts";
import { administrator, type PersonCaller } from "../middleware/caller.ts";
import { readPasskeyCookie, writePasskeyCookie } from "../middleware/ceremony-cookies.ts";
import { answerJson, answerNothing, readEmptyBody, readJsonObject } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { invalidQuery, refuseUnknownQuery, textQuery } from "../middleware/query.ts";
import { clearConsoleCookie } from "../middleware/session-cookie.ts";

export const ACCOUNT_ENDPOINTS: Endpoints<typeof ACCOUNT_OPERATIONS> = {
  /** GET: where the person is signed in to the Console, newest first. */
  listBrowserSessions:
    (dependencies) =>
    async (c, { id, sessionId }) => {
      refuseUnknownQuery(c, []);
      const sessions = await list(dependencies, id);
      return answerJson<BrowserSessionList>(c, {
        items: sessions.map((session) => representBrowserSession(session, sessionId)),
      });
    },

  /** DELETE one of the person's own sessions; the request's own: signs out. */
  endBrowserSession: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const sessionId = c.req.param("sessionId") ?? "";
    await endOwnSession(dependencies, administrator(caller, c), sessionId);
    if (sessionId === caller.sessionId) clearConsoleCookie(c, dependencies.configuration().configuration);
    return answerNothing(c);
  },

  /** POST: what a browser needs to make a passkey; good for five minutes, in this session, once. */
  beginPasskey: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await readEmptyBody(c);
    await requireRecentSignIn(dependencies, caller);
    await requirePasskeySignIn(dependencies, caller);
    const { options, binding } = await beginRegistration(dependencies, registeringPerson(c, caller));
    writePasskeyCookie(c, binding);
    return answerJson<object>(c, options);
  },

  /** POST `{name?, response}`: 201 with the passkey. */
  addPasskey: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const input = await readJsonObject(c);
    await requireRecentSignIn(dependencies, caller, CHALLENGE_LIFETIME);
    await requirePasskeySignIn(dependencies, caller);
    const passkey = await registerPasskey(dependencies, input, registeringPerson(c, caller));
    return answerJson<Passkey>(c, representPasskey(passkey), 201);
  },

  /** GET: the person's own, oldest first. */
  listPasskeys:
    (dependencies) =>
    async (c, { id }) => {
      refuseUnknownQuery(c, []);
      const passkeys = await dependencies.stores.passkeys.listPasskeys(id);
      return answerJson<PasskeyList>(c, { items: passkeys.map(representPasskey) });
    },

  /** DELETE: 204; 409 for the last way to sign in. */
  removePasskey: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await requireRecentSignIn(dependencies, caller);
    const { requestId } = c.get("request");
    const { id: userId, method } = caller;
    await removePasskey(dependencies, c.req.param("passkeyId") ?? "", { userId, requestId, method });
    return answerNothing(c);
  },

  /** GET: the person's own, oldest first. */
  listIdentities:
    (dependencies) =>
    async (c, { id }) => {
      refuseUnknownQuery(c, []);
      const identities = await dependencies.stores.identities.listIdentities(id);
      return answerJson<IdentityList>(c, { items: identities.map(representIdentity) });
    },

  /** DELETE with `subject`: 204; 409 for the last way to sign in. */
  unlinkIdentity: (dependencies) => async (c, caller) => {
    const { requestId } = c.get("request");
    refuseUnknownQuery(c, ["subject"]);
    const subject = textQuery(c, "subject");
    if (subject === undefined) throw invalidQuery("subject", "is missing");
    await requireRecentSignIn(dependencies, caller);
    await unlink(
      dependencies,
      { connector: c.req.param("connector") ?? "", subject },
      { userId: caller.id, requestId },
    );
    return answerNothing(c);
  },
};

function registeringPerson(c: Context<Env>, { id: userId, sessionId }: PersonCaller): RegisteringPerson {
  const { requestId } = c.get("request");
  return { userId, sessionId, requestId, binding: readPasskeyCookie(c) };
}
