import { isLoopbackRedirect } from "../../protocol/oauth/redirect-url.ts";
import type { Path } from "../path.ts";
import { indexesOf, lengthOf, type Rule, type RuleContext } from "./rule.ts";

/** The rules of one connector of type `oauth`: where the provider is, and who this service is there. */
export function oauthConnectorRules(context: RuleContext, index: number): void {
  const connector = ["connectors", index];
  endpointRules(context, connector);
  if (context.at(...connector, "discover") === true) resourceRule(context, connector);
  clientRules(context, connector);
  proofKeyRule(context, connector);
  parameterRules(context, [...connector, "authorizationParameters"]);
  for (const key of URLS) addressRule(context, [...connector, ...key]);
}

const FOUND = ["authorizationURL", "tokenURL", "revocationURL"];

/** Either all is written or all is found: of a mixture nobody could say whom the tokens go to. */
function endpointRules({ at, report }: RuleContext, connector: Path): void {
  const discover = at(...connector, "discover");
  if (discover === null) return;
  if (discover === true) {
    for (const key of FOUND.filter((one) => at(...connector, one) !== undefined)) {
      report([...connector, key], "stands beside discover: true, which finds it; accepted: one of the two");
    }
    return;
  }
  for (const key of ["authorizationURL", "tokenURL"].filter((one) => at(...connector, one) === undefined)) {
    report([...connector, key], "required without discover: true; accepted: the provider's URL for it");
  }
  if (at(...connector, "resource") !== undefined) {
    const message = "needs discover: true; accepted: userToken.resource of an app, for what its tokens are for";
    report([...connector, "resource"], message);
  }
}

/** Without an address of its own it starts at the MCP server that is called with its tokens. */
function resourceRule({ at, report }: RuleContext, connector: Path): void {
  if (at(...connector, "resource") !== undefined) return;
  const urls = discoveredResources(at, at(...connector, "name"));
  const path = [...connector, "resource"];
  if (urls.length === 0) {
    report(path, "required, as no mcpProxy app uses the connector; accepted: the URL of the MCP server");
  } else if (urls.length > 1 && !urls.includes(null)) {
    const message = "required, as apps with different URLs use the connector; accepted: the URL of one MCP server";
    report(path, message);
  }
}

/** The URLs of MCP servers that are called with tokens of a connector, each once; null: not known yet. */
export function discoveredResources(at: RuleContext["at"], connector: unknown): readonly unknown[] {
  const using = indexesOf(at("apps")).filter((index) => {
    const outbound = ["apps", index, "authorization", "outbound"];
    const isUser = at(...outbound, "type") === "userToken" && at(...outbound, "userToken", "connector") === connector;
    return isUser && at("apps", index, "type") === "mcpProxy";
  });
  const urls = using.map((index) => {
    const upstream = ["apps", index, "upstream"];
    return at(...upstream, String(at(...upstream, "transport") ?? "stream"), "url");
  });
  return [...new Set(urls.filter((url) => url !== undefined))];
}

/** What proves who a client is belongs to a client ID that the provider gave out. */
const PROOFS = ["oauthClientSecret", "privateKey", "clientAuthentication"];

function clientRules({ at, report }: RuleContext, connector: Path): void {
  const [id, metadata] = [at(...connector, "oauthClientID"), at(...connector, "clientMetadata")];
  if (metadata === true && id !== undefined) {
    report([...connector, "clientMetadata"], "stands beside oauthClientID; accepted: one of the two");
    return;
  }
  const [secret, method] = [at(...connector, "oauthClientSecret"), at(...connector, "clientAuthentication")];
  if (method === "none" && secret !== undefined) {
    report([...connector, "oauthClientSecret"], "stands beside clientAuthentication: none; accepted: one of the two");
  }
  if (id !== undefined || metadata === null) return;
  const isDiscovered = at(...connector, "discover") !== undefined && at(...connector, "discover") !== false;
  if (metadata !== true && !isDiscovered) {
    report([...connector, "oauthClientID"], "required without clientMetadata and discover; accepted: the client ID");
  }
  for (const key of PROOFS) {
    const written = at(...connector, key);
    if (written === undefined || written === "none") continue;
    if (key === "clientAuthentication" && written === "private_key_jwt" && metadata === true) continue;
    report([...connector, key], "needs oauthClientID, of a client that the provider knows; accepted: both, or neither");
  }
}

/** RFC 9700 section 2.1.1 wants PKCE of public clients, and MCP of all. */
function proofKeyRule({ at, report }: RuleContext, connector: Path): void {
  const path = [...connector, "disablePKCE"];
  if (at(...path) !== true) return;
  const isPublic = ["oauthClientSecret", "privateKey"].every((key) => at(...connector, key) === undefined);
  if (isPublic)
    report(path, "found true; accepted: false for a client without a secret or key (RFC 9700 section 2.1.1)");
  else if (at(...connector, "discover") === true) report(path, "found true; accepted: false with discover: true");
}

/** What this service says in each authorization request, or what would take its answer elsewhere. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  ...["response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce", "resource"],
  ...["code_challenge", "code_challenge_method", "request", "request_uri"],
]);

function parameterRules({ at, report }: RuleContext, path: Path): void {
  const parameters = at(...path);
  for (const name of Object.keys(typeof parameters === "object" && parameters !== null ? parameters : {})) {
    if (!OWN_PARAMETERS.has(name)) continue;
    report([...path, name], "is a parameter that this service sets by itself; accepted: another one");
  }
}

const URLS = [...FOUND, "issuer", "resource"].map((key) => [key]).concat([["account", "url"]]);

/** People's tokens go there. */
function addressRule({ at, report, shown }: RuleContext, path: Path): void {
  const url = at(...path);
  if (typeof url !== "string" || !URL.canParse(url)) return;
  if (new URL(url).protocol === "https:" || isLoopbackRedirect(url)) return;
  report(path, `found ${shown(...path)}; accepted: an https URL, or http on localhost, 127.0.0.1 or [::1]`);
}

/** Tokens of people are kept sealed or not at all. */
export const vaultRules: Rule = ({ at, report }) => {
  const keys = ["vault", "keys"] as const;
  if (at(...keys) === null || lengthOf(at(...keys)) > 0) return;
  const isNeeded = indexesOf(at("apps")).some(
    (index) => at("apps", index, "authorization", "outbound", "type") === "userToken",
  );
  if (!isNeeded) return;
  const accepted = "at least one key of 32 bytes, the same in every instance; `openssl rand -base64 32` makes one";
  report(keys, `required for apps with outbound.type: userToken; accepted: ${accepted}`);
};
