import { OTHER_RESOURCE_SERVER, RESOURCE_SERVER } from "../../behaviour/configuration.ts";
import { basic, type Parameters, signAssertion, tokenParameters } from "../../behaviour/fixture.ts";
import type { SecurityContext } from "../context.ts";

/** A request to the token endpoint that is refused for something else than its assertion. */
export interface RequestRow {
  readonly status: 400 | 401 | 413;
  readonly error: string;
  /** Absent: the answer has none. */
  readonly description?: string;
  readonly cases: readonly RequestCase[];
}

export type RequestCase = readonly [condition: string, request: (form: Parameters) => TokenRequest];

export interface TokenRequest {
  readonly form: Parameters | string;
  readonly headers?: Parameters;
}

const PARAMETERS: readonly string[] = ["grant_type", "client_assertion_type", "client_assertion"];

const postedSecret = (clientId: string, secret: string): TokenRequest => ({
  form: { grant_type: "client_credentials", client_id: clientId, client_secret: secret },
});
export const invalidRequest: RequestRow = {
  status: 400,
  error: "invalid_request",
  cases: [
    ...PARAMETERS.flatMap((name): RequestCase[] => [
      [`without ${name}`, ({ [name]: _, ...others }) => ({ form: others as Parameters })],
      [`with an empty ${name}`, (form) => ({ form: { ...form, [name]: "" } })],
      [`with ${name} twice`, (form) => ({ form: `${encoded(form)}&${encoded({ [name]: form[name] ?? "" })}` })],
      [`with ${name} twice, empty the second time`, (form) => ({ form: `${encoded(form)}&${name}=` })],
      [
        `with ${name} twice, encoded otherwise`,
        (form) => ({ form: `${encoded(form)}&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=x` }),
      ],
      [`with a null character in ${name}`, (form) => ({ form: { ...form, [name]: `${form[name]}\0` } })],
    ]),
    ...["saml2-bearer", "JWT-BEARER", "jwt-bearer "].map(
      (type): RequestCase => [
        `with client_assertion_type …:${type}`,
        (form) => ({ form: { ...form, client_assertion_type: `urn:ietf:params:oauth:client-assertion-type:${type}` } }),
      ],
    ),
    ...["a b", 'a"b', "é", "client_credentials\n", "://x"].map(
      (grant): RequestCase => [
        `with the malformed grant_type ${JSON.stringify(grant)}`,
        (form) => ({ form: { ...form, grant_type: grant } }),
      ],
    ),
    ...["%zz", "%", "%f", "%ff", "%c0%80", "%ed%a0%80", "\u0000", "\n", "é"].map(
      (bad): RequestCase => [
        `with a value of ${JSON.stringify(bad)}`,
        (form) => ({ form: `${encoded(form)}&x=${bad}` }),
      ],
    ),
    ["with an empty name", (form) => ({ form: `${encoded(form)}&=x` })],
    [
      "with the id of an app and nothing else, where no app has the grant",
      () => ({ form: { grant_type: "client_credentials", client_id: RESOURCE_SERVER.clientId } }),
    ],
    // Where no app has the grant, a secret says nothing (D177).
    ["with an app's secret in the form", () => postedSecret(RESOURCE_SERVER.clientId, RESOURCE_SERVER.secret)],
    ["with a wrong secret in the form", () => postedSecret(RESOURCE_SERVER.clientId, OTHER_RESOURCE_SERVER.secret)],
    ["with the secret of an unknown client in the form", () => postedSecret("nobody", "x")],
    ["with a secret and no id", () => ({ form: { grant_type: "client_credentials", client_secret: "x" } })],
    ["with an empty body", () => ({ form: "" })],
    ...[
      "application/json",
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded; charset=iso-8859-1",
      "application/x-www-form-urlencoded, text/plain",
    ].map((type): RequestCase => [`of Content-Type ${type}`, (form) => ({ form, headers: { "Content-Type": type } })]),
    ["that is JSON", (form) => ({ form: JSON.stringify(form), headers: { "Content-Type": "application/json" } })],
  ],
};

const AUTHENTICATIONS =
  "accepted, as the client is registered: its secret by HTTP Basic or as client_secret in the form, a client_assertion signed by its key, or client_id alone for a public client";
const NOT_ITS_AUTHENTICATION = `the client is unknown, or this is not its authentication; ${AUTHENTICATIONS}`;

/** Two forms of authentication at once (RFC 6749 §2.3). */
export const twoAuthentications: RequestRow = {
  status: 400,
  error: "invalid_request",
  description: `authenticate in one way; ${AUTHENTICATIONS}`,
  cases: [
    ["with an assertion and a secret", (form) => ({ form: { ...form, client_secret: "x" } })],
    ["with an assertion and Basic authentication", (form) => ({ form, headers: basic(RESOURCE_SERVER) })],
  ],
};

/** An app that authenticates and does not list the grant (D146). */
export const otherGrant: RequestRow = {
  status: 400,
  error: "unauthorized_client",
  description: "the client is not registered for client_credentials",
  cases: [
    [
      "of an app by its secret in Basic",
      () => ({ form: { grant_type: "client_credentials" }, headers: basic(RESOURCE_SERVER) }),
    ],
  ],
};

export const tooLarge: RequestRow = {
  status: 413,
  error: "invalid_request",
  cases: [64 * 1024, 1024 * 1024].map((size) => [
    `of more than ${size} bytes`,
    (form) => ({ form: `${encoded(form)}&x=${"a".repeat(size)}` }),
  ]),
};

export const unsupportedGrant: RequestRow = {
  status: 400,
  error: "unsupported_grant_type",
  cases: [
    "password",
    "authorization_code",
    "refresh_token",
    "Client_Credentials",
    "urn:ietf:params:oauth:grant-type:token-exchange",
    "https://elsewhere.example/grant",
  ].map((grant) => [`of ${grant}`, (form) => ({ form: { ...form, grant_type: grant } })]),
};

/** Authentication by HTTP, or what was meant to be. */
export const unauthenticated: RequestRow = {
  status: 401,
  error: "invalid_client",
  description: NOT_ITS_AUTHENTICATION,
  cases: [
    ["another app's secret", basic({ ...RESOURCE_SERVER, secret: OTHER_RESOURCE_SERVER.secret }).Authorization],
    ["a wrong secret", basic({ ...RESOURCE_SERVER, secret: "wrong" }).Authorization],
    ["an unknown client", basic({ clientId: "client_x", secret: "x" }).Authorization],
    ["nothing", "Basic"],
    ["no base64", "Basic !!!"],
    ["no colon", `Basic ${btoa("x")}`],
    ["a token", "Bearer cst_x"],
  ].map(([what, value]) => [
    `with an Authorization of ${what}`,
    () => ({ form: { grant_type: "client_credentials" }, headers: { Authorization: value ?? "" } }),
  ]),
};

/** The form of a request that would succeed. */
export async function correctForm({ signer, us }: SecurityContext): Promise<Parameters> {
  return tokenParameters(await signAssertion(signer, us));
}

function encoded(form: Parameters): string {
  return new URLSearchParams(form).toString();
}
