import type { SIGN_IN_OPERATIONS } from "../operations/sign-in.ts";
import { NO_FIELDS } from "../schemas/common.ts";
import { AUTHENTICATION_RESPONSE, PASSKEY_REQUEST_OPTIONS } from "../schemas/passkeys.ts";
import { ME, PROFILE } from "../schemas/profile.ts";
import {
  CONNECTOR_SIGN_IN,
  CONNECTOR_SIGN_IN_REQUEST,
  LINK_SIGN_IN_REQUEST,
  SETUP_REQUEST,
  SIGN_IN_WAYS,
} from "../schemas/sign-in.ts";
import type { Documentation } from "./documentation.ts";
import { ORGANIZATION, pathParameter, textQueryParameter } from "./documentation.ts";

const SIGNED_IN = { status: 200, description: "Signed in.", schema: PROFILE, headers: ["Set-Cookie"] } as const;

export const SIGN_IN_DOCUMENTATION = {
  showSignInWays: {
    summary: "The ways to sign in",
    answers: [{ status: 200, description: "What this instance offers.", schema: SIGN_IN_WAYS }],
  },
  setUp: {
    summary: "Become the first owner",
    description: "Works once, for whoever holds the setup token. The first owner names the organization.",
    body: { schema: SETUP_REQUEST },
    answers: [
      { status: 201, description: "The first owner, signed in.", schema: PROFILE, headers: ["Set-Cookie"] },
      { ...SIGNED_IN, description: "An owner who is recovered (`console.recoverOwner`), signed in." },
    ],
    problems: ["not_found"],
  },
  signInByLink: {
    summary: "Sign in by a one-time link",
    body: { schema: LINK_SIGN_IN_REQUEST },
    answers: [SIGNED_IN],
  },
  beginPasskeySignIn: {
    summary: "Begin to sign in by passkey",
    body: { schema: NO_FIELDS, isOptional: true },
    description: "`not_found`: there are no passkeys here.",
    answers: [
      {
        status: 200,
        description: "What the browser asks a passkey for; for this browser, once, within five minutes.",
        schema: PASSKEY_REQUEST_OPTIONS,
        headers: ["Set-Cookie"],
      },
    ],
    problems: ["not_found"],
  },
  signInByPasskey: {
    summary: "Sign in by passkey",
    body: { schema: AUTHENTICATION_RESPONSE },
    answers: [SIGNED_IN],
    problems: ["not_found"],
  },
  beginConnectorSignIn: {
    summary: "Begin to sign in at an OpenID provider",
    description:
      "The browser goes to `location` and comes back to the callback. With `link` it needs a session that began recently.",
    parameters: [pathParameter("connector", "One of the names that the ways to sign in list.")],
    body: { schema: CONNECTOR_SIGN_IN_REQUEST, isOptional: true },
    answers: [
      { status: 200, description: "Where the browser goes next.", schema: CONNECTOR_SIGN_IN, headers: ["Set-Cookie"] },
    ],
    problems: ["not_signed_in", "recent_sign_in_required"],
  },
  finishConnectorSignIn: {
    summary: "Come back from an OpenID provider",
    description: "For browsers. What goes wrong is the query parameter `problem` of the page that they come to.",
    parameters: [
      textQueryParameter("state", "As the provider got it."),
      textQueryParameter("code", "Of the provider (RFC 6749 §4.1.2)."),
      textQueryParameter("iss", "The provider (RFC 9207)."),
      textQueryParameter("error", "Why there is no code (RFC 6749 §4.1.2.1)."),
    ],
    answers: [{ status: 303, description: "To the Console.", headers: ["Location", "Set-Cookie"] }],
  },
  signOut: {
    summary: "Sign out",
    answers: [{ status: 204, description: "The session is over, if there was one.", headers: ["Set-Cookie"] }],
  },
  showMe: {
    summary: "The person who is signed in",
    parameters: [ORGANIZATION],
    answers: [{ status: 200, description: "The person, and the organization that the request is about.", schema: ME }],
  },
} as const satisfies Documentation<typeof SIGN_IN_OPERATIONS>;
