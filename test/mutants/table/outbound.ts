import type { Mutant } from "../mutant.ts";

export const OUTBOUND: readonly Mutant[] = [
  {
    id: "internal-address",
    area: "outbound calls",
    costs: "A stranger has the server read what only its own network may reach.",
    find: "isInternalName(hostname) : !isPublicAddress(address)",
    replace: 'isInternalName(hostname) : !isPublicAddress(address) && address.includes(":")',
    suites: ["security/21-", "net/"],
  },
  {
    id: "internal-address-by-name",
    area: "outbound calls",
    costs: "A name that resolves to the metadata service gives a stranger the server's cloud account.",
    find: "if (addresses.length > 0 && addresses.every(isPublicAddress)) return",
    replace: "if (addresses.length > 0 && addresses.some(isPublicAddress)) return",
    suites: ["security/21-", "net/"],
  },
  {
    id: "stranger-redirects",
    area: "outbound calls",
    costs: "A document's address passes the check and redirects to one inside.",
    find: 'return fetch(url.href, { ...init, redirect: "manual" })',
    replace: 'return fetch(url.href, { ...init, redirect: "follow" })',
    suites: ["security/21-", "net/"],
  },
  {
    id: "provider-in-the-network",
    area: "outbound calls",
    costs:
      "The metadata of an MCP server has this one send a client's registration, codes and tokens to an address inside.",
    find: "isOfOperator(new URL(url), connector) ? ports.outbound(connector.tls) : ports.publicFetch",
    replace: "isOfOperator(new URL(url), connector) ? ports.outbound(connector.tls) : ports.outbound()",
    suites: ["connections/"],
  },
  {
    id: "provider-of-another-issuer",
    area: "outbound calls",
    costs: "A server speaks for the issuer of another, and gets the codes of its people.",
    find: 'if (typeof issuer !== "string" || !isSameIssuer(expected, issuer)) {',
    replace: 'if (typeof issuer !== "string") {',
    suites: ["connections/"],
  },
  {
    id: "forged-source",
    area: "outbound calls",
    costs: "Each request names another sender, and no rate limit counts.",
    find: "if (address === undefined || !isTrusted(address)) return peer",
    replace: "if (address === undefined) return peer",
    suites: ["net/remote-address"],
  },
  {
    id: "credential-of-another-person",
    area: "outbound calls",
    costs: "A call goes to the API with the token that was obtained for somebody else.",
    find: "[server, terms, issuer, user?.sub ?? null, agent.clientID, tokenName(token)]",
    replace: "[server, terms, issuer, user === undefined ? null : 0, agent.clientID, typeof tokenName(token)]",
    suites: ["security/39-credentials", "gateway/credentials/exchange"],
  },
  {
    id: "echoed-token",
    area: "outbound calls",
    costs: "An API that echoes its request hands the agent the API's own token.",
    find: "(text) => text.replaceAll(token, REDACTED)",
    replace: "(text) => text.replaceAll(token + token, REDACTED)",
    suites: ["gateway/credentials/", "security/39-credentials", "security/24-"],
  },
];
