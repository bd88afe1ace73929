import { EMAIL, LINK_TOKEN, NAME, type Shape } from "./common.ts";

/** The ways to sign in that an instance has. */
export const SIGN_IN_WAYS = {
  title: "SignInWays",
  type: "object",
  properties: {
    region: { type: "string" },
    setup: { type: "boolean", description: "There is no owner yet: whoever holds the setup token becomes the first." },
    passkeys: { type: "boolean" },
    connectors: {
      type: "array",
      items: { type: "string" },
      description: "Names of the OpenID providers to choose from.",
    },
    gateway: {
      type: "object",
      description: "Where agents connect; absent where the gateway is off.",
      properties: {
        url: { type: "string" },
        name: { type: "string" },
        people: { type: "boolean", description: "Agents can sign people in." },
      },
      required: ["url", "name", "people"],
      additionalProperties: false,
    },
  },
  required: ["setup", "passkeys", "connectors"],
  additionalProperties: false,
} as const;

export const SETUP_REQUEST = {
  title: "SetupRequest",
  type: "object",
  properties: {
    token: { type: "string", minLength: 1, description: "`console.setupToken`." },
    organization: {
      ...NAME,
      description: "What the first organization is called; an owner who comes back needs none.",
    },
    email: EMAIL,
  },
  required: ["token", "email"],
  additionalProperties: false,
} as const;

export const LINK_SIGN_IN_REQUEST = {
  title: "LinkSignInRequest",
  type: "object",
  properties: { token: LINK_TOKEN },
  required: ["token"],
  additionalProperties: false,
} as const;

export const CONNECTOR_SIGN_IN_REQUEST = {
  title: "ConnectorSignInRequest",
  type: "object",
  properties: {
    returnTo: { type: "string", description: "Where the browser comes back to: a path that begins with `/console/`." },
    link: { enum: [true], description: "Link the account with the person who is signed in, instead of signing in." },
    invitation: { ...LINK_TOKEN, description: "Accept this invitation as the account's owner." },
  },
  additionalProperties: false,
} as const;

export const CONNECTOR_SIGN_IN = {
  title: "ConnectorSignIn",
  type: "object",
  properties: { location: { type: "string", format: "uri", description: "Where the browser goes next." } },
  required: ["location"],
  additionalProperties: false,
} as const;

export type SignInWays = Shape<typeof SIGN_IN_WAYS>;
export type SetupRequest = Shape<typeof SETUP_REQUEST>;
export type LinkSignInRequest = Shape<typeof LINK_SIGN_IN_REQUEST>;
export type ConnectorSignInRequest = Shape<typeof CONNECTOR_SIGN_IN_REQUEST>;
export type ConnectorSignIn = Shape<typeof CONNECTOR_SIGN_IN>;
