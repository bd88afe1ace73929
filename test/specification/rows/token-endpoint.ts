import { RUNTIMES } from "../results.ts";
import { deviates, type SpecificationRow } from "../row.ts";

const correct = "token endpoint > answers a correct request";
const assertion = "token endpoint > refuses an assertion";
const form = "token endpoint > refuses a form";

const audience = [`${assertion} > whose aud is another URL`, `${assertion} > without aud`, "1. aud is"];

export const tokenEndpointRows: readonly SpecificationRow[] = [
  {
    id: "discovery.document",
    statement: "The discovery document of each region names its token endpoint.",
    shown: "runtimes",
    tests: [
      "discovery documents > /.well-known/openid-configuration names the issuer and every endpoint of its region",
    ],
  },
  {
    id: "token.request",
    statement: "Client credentials with a JWT client assertion, three parameters in a form, bring a token.",
    shown: "runtimes",
    tests: [`${correct} > `, "OAuth client libraries > "],
  },
  {
    id: "token.response",
    statement: "The answer is an opaque bearer token with token_type Bearer and expires_in in seconds.",
    shown: "runtimes",
    tests: [`${correct} > with an opaque bearer token and its lifetime in seconds`],
  },
  {
    id: "token.use",
    statement: "API calls carry the token in the Authorization header.",
    shown: "runtimes",
    tests: [`${correct} > with a token that the management API accepts`],
  },
  {
    id: "assertion.es256",
    statement: "Assertions are signed with ES256 and no other algorithm.",
    shown: "runtimes",
    tests: ["2. alg none", "2. HS256", "2. RS256 and ES384", `${assertion} > with another alg`],
  },
  {
    id: "assertion.key",
    statement: "A client sends its assertion without the key; a key that comes with one counts for nothing.",
    shown: "runtimes",
    tests: ["2. a key in the header is not trusted"],
  },
  {
    id: "assertion.typ",
    statement: "The header's typ is JWT; it may be absent or the later standard's, and is nothing else.",
    shown: "runtimes",
    tests: [
      `${correct} > of typ JWT`,
      `${correct} > of typ client-authentication+jwt`,
      `${correct} > without iat, jti and typ`,
      `${assertion} > of another type`,
    ],
  },
  {
    id: "assertion.subject",
    statement: "iss and sub are the client's id, and equal.",
    shown: "runtimes",
    tests: [`${assertion} > whose iss differs from sub`, "3. iss that names another client"],
  },
  {
    id: "assertion.audience",
    statement: "aud is the token endpoint's URL from discovery, and nothing else.",
    shown: "runtimes",
    tests: audience,
    deviations: deviates(
      RUNTIMES,
      "The issuer is taken as well, as the later standard wants it and clients write it (D5); oidcProvider.assertion.audience: tokenEndpoint turns that off.",
      [
        `${correct} > whose audience is the issuer`,
        ...audience,
        "assertion.audience tokenEndpoint narrows the accepted audience",
      ],
    ),
  },
  {
    id: "assertion.expiry",
    statement: "exp is required and lies in the future.",
    shown: "runtimes",
    tests: [`${assertion} > that expired`, `${assertion} > without exp`, "4. exp now"],
  },
  {
    id: "assertion.issued-at",
    statement: "iat may be absent.",
    shown: "runtimes",
    tests: [`${correct} > without iat, jti and typ`],
  },
  {
    id: "error.unknown-client",
    statement: "An unknown sub is invalid_client, `invalid client`.",
    shown: "runtimes",
    tests: [`${assertion} > whose sub is unknown`, `${assertion} > of a client of the other region`],
  },
  {
    id: "error.signature",
    statement: "A signature that no registered key verifies is invalid_client, `invalid JWT signature`.",
    shown: "runtimes",
    tests: [`${assertion} > signed with a key that the client does not have`],
  },
  {
    id: "error.parse",
    statement: "What is not three base64url segments is invalid_client, `failed to parse JWT`.",
    shown: "runtimes",
    tests: [
      `${assertion} > that is text`,
      `${assertion} > that has two segments`,
      `${assertion} > that has four segments`,
      `${assertion} > that has a payload that is no JSON`,
    ],
  },
  {
    id: "error.form",
    statement: "A missing or malformed form parameter is invalid_request without a detail.",
    shown: "runtimes",
    tests: [
      `${form} > without grant_type`,
      `${form} > without client_assertion_type`,
      `${form} > without client_assertion`,
      `${form} > with another client_assertion_type`,
      `${form} > with a malformed grant_type`,
    ],
  },
];
