/** Types of connectors in files of comparable products that are OpenID providers: the same keys, read as `oidc`. */
export const OIDC_ALIASES = [
  "azure",
  "okta",
  "auth0",
  "pingfederate",
  "adfs",
  "cognito",
  "wso2",
  "hypr",
  "onekosmos",
] as const;

const BROKER = "put a broker that speaks OpenID Connect, such as Keycloak, in front";

const ATTRIBUTES =
  "what is known of people comes from the connectors they sign in at: name it as `{{ connector.CLAIM }}` in `headers` and `rules`";

/** What files of comparable products have at places where there is nothing here, and what to do instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  samlProvider: `SAML is not served: ${BROKER}`,
  ldapProvider: `LDAP is not served: ${BROKER}`,
  upstreamLogin: "nobody is logged in to an upstream by a form; send what it needs as `headers`",
  attrProviders: ATTRIBUTES,
  attributeProviders: ATTRIBUTES,
  apis: "no code of your own is served: put it into an API or an MCP server, and add that as an app",
};

/** What to do instead of an unknown key that a comparable product has; undefined for any other. */
export function insteadOf(key: string): string | undefined {
  if (/^[a-z]\w*SE$/.test(key)) {
    return "extensions in Go do not run here; use CEL or OPA policies, `headers` or `claimsMapping` instead";
  }
  return Object.hasOwn(INSTEAD, key) ? INSTEAD[key] : undefined;
}

/** What is accepted as the type of a connector, and what to do with one of another kind. */
export const CONNECTOR_TYPES = `oidc or oauth; to sign in at a provider of another kind ${BROKER}`;
