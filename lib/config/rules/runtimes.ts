import { TOKEN_EXCHANGE } from "../app-configuration.ts";
import { parseDuration } from "../duration.ts";
import { knownSignIn } from "../oauth-features.ts";
import type { Path } from "../path.ts";
import { listenerPaths } from "./http.ts";
import { grantTypesIfServed } from "./oidc-app.ts";
import { indexesOf, lengthOf, type Rule, type RuleContext } from "./rule.ts";
import { otlpPaths } from "./telemetry.ts";

const REQUIRED = "required on Workers and Lambda";

/** What Workers and Lambda cannot make by themselves: they know neither their address nor a folder that is kept. */
export const edgeRules: Rule = (context) => {
  const { at, report } = context;
  if (at("http", "publicURL") === undefined) {
    report(["http", "publicURL"], `${REQUIRED}; accepted: the URL that clients use`);
  }
  const workers = at("http", "workers");
  if (typeof workers === "number" && workers > 1) {
    report(
      ["http", "workers"],
      `found ${workers}; accepted: 1 or auto on Workers and Lambda, which start instances by themselves`,
    );
  }
  if (at("email", "smtp") !== undefined)
    report(["email", "smtp"], "cannot be had on Workers and Lambda, which have no SMTP; accepted: email.http");
  stateSecretRule(context);
  if (at("oidcProvider") === undefined) return;
  if (at("oidcProvider", "region") === undefined) {
    report(["oidcProvider", "region"], `${REQUIRED}; accepted: a short name such as us or uk`);
  }
  if (at("oidcProvider", "apiClients", "idSecret") === undefined) {
    const accepted = "at least 32 bytes as base64url, the same in every instance of the region";
    report(["oidcProvider", "apiClients", "idSecret"], `${REQUIRED}; accepted: ${accepted}`);
  }
  keySecretRule(context);
};

/** Any instance may get back what another one has sealed for an agent or a browser. With `oidcProvider` its own secret serves. */
function stateSecretRule({ at, report }: RuleContext): void {
  if (at("oidcProvider") !== undefined || at("mcpProvider", "stateSecret") !== undefined) return;
  const what = whatIsSealed(at);
  if (what === undefined) return;
  const accepted = "at least 32 bytes as base64url, the same in every instance of the region";
  report(["mcpProvider", "stateSecret"], `${REQUIRED} with ${what}; accepted: ${accepted}`);
}

function whatIsSealed(at: RuleContext["at"]): string | undefined {
  const apps = indexesOf(at("apps"));
  const isGateway = at("mcpProvider", "enabled") === true;
  if (isGateway && apps.some((index) => at("apps", index, "type") === "mcpProxy")) return "an app of type mcpProxy";
  if (isGateway && apps.some((index) => at("apps", index, "authorization", "outbound", "type") === "userToken"))
    return "an app with outbound.type: userToken";
  if (apps.some((index) => signsIn(at, index))) return "an app of type proxy that signs people in";
  return undefined;
}

/** Also where a placeholder still stands for the connectors. */
function signsIn(at: RuleContext["at"], index: number): boolean {
  const app = ["apps", index];
  if (at(...app, "type") !== "proxy") return false;
  return indexesOf(at(...app, "policies")).some((policy) => {
    const idps = at(...app, "policies", policy, "authentication", "idps");
    return idps === null || lengthOf(idps) > 0;
  });
}

const PROVIDER = "oidcProvider";

/**
 * Workers and Lambda keep signing keys where others can read, so that they are encrypted; the secret for that is needed
 * exactly where the instance makes keys of its own. What a placeholder may still decide is looked at when it is filled; a
 * connector whose address is written counts already, because that of this very instance comes from the same placeholder, and so
 * does an app that may be allowed to sign people in: without the secret it could not be.
 */
const keySecretRule: Rule = ({ at, report }) => {
  if (at(PROVIDER) === undefined || at(PROVIDER, "keySecret") !== undefined) return;
  if (indexesOf(at(PROVIDER, "jwks")).some((index) => at(PROVIDER, "jwks", index, "privateKey") !== undefined)) return;
  const why = whatSigns(at);
  if (why === undefined) return;
  report(
    [PROVIDER, "keySecret"],
    `required on Workers and Lambda, because ${why} and no key of oidcProvider.jwks has a privateKey; accepted: at least 32 bytes as base64url, the same in every instance of the region`,
  );
};

function whatSigns(at: RuleContext["at"]): string | undefined {
  const { names: signIn } = knownSignIn(at());
  const canSignIn = (written: unknown): boolean =>
    written === undefined ? signIn.length > 0 : Array.isArray(written) && written.some((name) => signIn.includes(name));
  for (const index of indexesOf(at("apps"))) {
    const app = ["apps", index];
    if (at(...app, "type") === "proxy" && at(...app, "assertion") !== undefined) return "a web app gets assertions";
    if (at(...app, "type") !== "oidc") continue;
    const grants = grantTypesIfServed(at, app) ?? [];
    const isCode = grants.includes("authorization_code") && canSignIn(at(...app, "authentication", "idps"));
    if (isCode || grants.includes(TOKEN_EXCHANGE) || grants.includes("client_credentials"))
      return "an oidc app gets tokens that are signed";
  }
  // Where metadata documents are not written about, they are on where there are keys (`assemble/oidc-provider.ts`).
  const key = ["clientIDMetadata", "dynamic"].find((one) => at(PROVIDER, "registration", one) === true);
  if (key === undefined || !canSignIn(at(PROVIDER, "registration", "idps"))) return undefined;
  return `people can sign in for clients that come by themselves (oidcProvider.registration.${key})`;
}

const NOT_HERE = "cannot be had on Workers and Lambda, whose platform ends TLS";

/** What is asked of the listener beyond a certificate is a protection that nobody would give where the platform ends TLS. */
export const edgeListenerRules: Rule = (context) => {
  const { at, report } = context;
  const names = new Set(listenerPaths(context).map((path) => String(at(...path))));
  for (const name of names) {
    const clientAuth = at("tls", name, "clientAuth");
    if (typeof clientAuth === "string" && clientAuth !== "NoClientCert") {
      report(["tls", name, "clientAuth"], `${NOT_HERE}; accepted: NoClientCert`);
    }
    const minVersion = at("tls", name, "minVersion");
    if (minVersion === "1.3" || minVersion === 1.3) {
      report(["tls", name, "minVersion"], `${NOT_HERE}: set it there; accepted: 1.2`);
    }
  }
};

const FILES = ["certificate", "clientCertificate", "clientKey"];

/** In which lists connections name an entry of `tls`, and where. */
const NAMING_TLS = [
  ["connectors", "tls"],
  ["webhooks", "tls"],
  ["apps", "upstream", "tls"],
  ["apps", "upstream", "stream", "tls"],
  ["apps", "upstream", "sse", "tls"],
  ["apps", "tls"],
] as const;

/** What connections of Workers cannot have: authorities and certificates of their own, and no verification. */
export const workersRules: Rule = (context) => {
  for (const [list, ...key] of NAMING_TLS) connectionRules(context, list, key);
  for (const index of indexesOf(context.at("apps"))) hostRule(context, index);
  exporterRules(context);
};

function connectionRules({ at, report }: RuleContext, list: string, key: readonly string[]): void {
  for (const index of indexesOf(at(list))) {
    if (at(list, index, ...key) === undefined) continue;
    report([list, index, ...key], "connections on Workers have no TLS settings of their own; accepted: none");
  }
}

/** `fetch` there takes the host from the URL, whatever headers say. */
function hostRule({ at, report }: RuleContext, index: number): void {
  const path = ["apps", index, "preserveHost"];
  if (at("apps", index, "type") !== "proxy" || at(...path) !== true) return;
  report(path, "found true; accepted: false on Workers, where the host of a request is always that of its URL");
}

function exporterRules(context: RuleContext): void {
  const { at, report } = context;
  for (const path of otlpPaths(context)) {
    if (at(...path, "insecure") === true) {
      report([...path, "insecure"], "connections on Workers are always verified; accepted: false");
    }
    for (const key of FILES.filter((file) => at(...path, file) !== undefined)) {
      report([...path, key], "connections on Workers have no TLS settings of their own; accepted: none");
    }
  }
}

/**
 * Milliseconds that an upstream may take on Lambda. The function is ended at `timeout` of `serverless.yml`, and whoever is
 * ended waiting never completes the call's audit record; what is left is for the work before and after the call.
 */
export const LONGEST_UPSTREAM_TIMEOUT = 50_000;

/** Where apps of each kind have it. */
const TIMEOUTS: ReadonlyMap<unknown, Path> = new Map([
  ["mcpBridge", ["upstream", "timeout"]],
  ["mcpProxy", ["upstream", "timeout"]],
  ["proxy", ["timeout"]],
]);

/** What a document may not say when it runs on Lambda. */
export const lambdaRules: Rule = (context) => {
  const { at, report } = context;
  for (const index of indexesOf(at("apps"))) timeoutRule(context, index);
  const sse = ["mcpProvider", "transports", "sse", "enabled"] as const;
  if (at(...sse) === true) {
    // D184 has the figures.
    report(
      sse,
      "found true; accepted: false on Lambda, where every open stream would occupy an instance; agents connect by transports.stream",
    );
  }
};

function timeoutRule({ at, report, shown }: RuleContext, index: number): void {
  const key = TIMEOUTS.get(at("apps", index, "type"));
  if (key === undefined) return;
  const path = ["apps", index, ...key];
  const timeout = at(...path);
  if (typeof timeout !== "string") return;
  if ((parseDuration(timeout) ?? 0) > LONGEST_UPSTREAM_TIMEOUT) {
    report(path, `found ${shown(...path)}; accepted: at most 50s on Lambda`);
  }
}
