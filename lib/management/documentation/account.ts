import type { ACCOUNT_OPERATIONS } from "../operations/account.ts";
import { BROWSER_SESSION_LIST } from "../schemas/browser-sessions.ts";
import { NO_FIELDS } from "../schemas/common.ts";
import { IDENTITY_LIST } from "../schemas/identities.ts";
import { NEW_PASSKEY, PASSKEY, PASSKEY_CREATION_OPTIONS, PASSKEY_LIST } from "../schemas/passkeys.ts";
import type { Documentation } from "./documentation.ts";
import { pathParameter, textQueryParameter } from "./documentation.ts";

/** What people have for themselves: sessions, passkeys, and accounts at connectors. */
export const ACCOUNT_DOCUMENTATION = {
  listBrowserSessions: {
    summary: "Browsers in which the person is signed in",
    answers: [{ status: 200, description: "The person's sessions in the Console.", schema: BROWSER_SESSION_LIST }],
  },
  endBrowserSession: {
    summary: "Sign a browser out",
    parameters: [pathParameter("sessionId")],
    answers: [
      {
        status: 204,
        description: "The session is over; its cookie, too, if it is the request's.",
        headers: ["Set-Cookie"],
      },
    ],
  },
  beginPasskey: {
    summary: "Begin to make a passkey",
    description: "`not_found`: there are no passkeys here. `conflict`: the person has as many as there may be.",
    body: { schema: NO_FIELDS, isOptional: true },
    answers: [
      {
        status: 200,
        description: "What the browser makes it from; for this browser, once, within five minutes.",
        schema: PASSKEY_CREATION_OPTIONS,
        headers: ["Set-Cookie"],
      },
    ],
    problems: ["not_found", "conflict", "recent_sign_in_required"],
  },
  addPasskey: {
    summary: "Add a passkey",
    body: { schema: NEW_PASSKEY },
    answers: [{ status: 201, description: "The passkey.", schema: PASSKEY }],
    problems: ["not_found", "conflict", "recent_sign_in_required"],
  },
  listPasskeys: {
    summary: "The person's passkeys",
    answers: [{ status: 200, description: "Oldest first.", schema: PASSKEY_LIST }],
  },
  removePasskey: {
    summary: "Remove a passkey",
    description: "`conflict`: it is the person's last way to sign in.",
    parameters: [pathParameter("passkeyId")],
    answers: [{ status: 204, description: "It opens nothing any more." }],
    problems: ["conflict", "recent_sign_in_required"],
  },
  listIdentities: {
    summary: "Accounts at connectors that sign the person in",
    answers: [{ status: 200, description: "Oldest first.", schema: IDENTITY_LIST }],
  },
  unlinkIdentity: {
    summary: "Unlink an account",
    description: "`conflict`: it is the person's last way to sign in.",
    parameters: [
      pathParameter("connector"),
      { ...textQueryParameter("subject", "`subject` of the account."), required: true },
    ],
    answers: [{ status: 204, description: "It signs the person in no longer." }],
    problems: ["conflict", "recent_sign_in_required"],
  },
} as const satisfies Documentation<typeof ACCOUNT_OPERATIONS>;
