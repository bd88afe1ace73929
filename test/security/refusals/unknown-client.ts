import { RESOURCE_SERVER } from "../../behaviour/configuration.ts";
import { signAssertion } from "../../behaviour/fixture.ts";
import type { AssertionCase, AssertionRow } from "./row.ts";

/** `sub` names no client of this region. Everything is signed by a client that exists. */
export const unknownClient: AssertionRow = {
  description: "invalid client",
  cases: [
    ["without sub", ({ signer, us }) => signAssertion(signer, us, { claims: { sub: undefined, iss: undefined } })],
    ...[7, null, true, {}, [], ""].map((sub) => subject(`whose sub is ${JSON.stringify(sub)}`, () => sub)),
    subject("whose sub is an array of the client's id", (clientId) => [clientId]),
    subject("whose sub is no client id", () => "client_x"),
    subject("whose sub has a wrong check", () => "client_01234567-89ab-8def-8123-456789abcdef"),
    subject("whose sub is a random UUID", () => `client_${crypto.randomUUID()}`),
    subject(
      "whose sub differs in one digit",
      (clientId) => clientId.slice(0, -1) + (clientId.endsWith("0") ? "1" : "0"),
    ),
    subject("whose sub is in upper case", (clientId) => clientId.toUpperCase()),
    subject("whose sub has white space", (clientId) => `${clientId} `),
    subject("whose sub has a null character", (clientId) => `${clientId}\0`),
    subject("whose sub lacks its prefix", (clientId) => clientId.replace("client_", "")),
    subject("whose sub is an app of the configuration", () => RESOURCE_SERVER.clientId),
    ["of a deleted client", ({ deleted, us }) => signAssertion(deleted, us)],
    ["of a client of the other region", ({ foreign, us }) => signAssertion(foreign, us)],
  ],
};

function subject(condition: string, sub: (clientId: string) => unknown): AssertionCase {
  return [
    condition,
    ({ signer, us }) => {
      const value = sub(signer.clientId);
      return signAssertion(signer, us, { claims: { iss: value, sub: value } });
    },
  ];
}
