import type { Clock } from "../../../lib/kernel/clock.ts";
import type { LoopbackHosts } from "./loopback-fetch.ts";
import { json, startVendorServer, type VendorRequest, type VendorServer } from "./vendor-server.ts";

export interface AzureContent {
  /** `my-vault.vault.azure.net` */
  readonly vault: string;
  /** What the vault says that its tokens are for: `https://vault.azure.net`. */
  readonly resource: string;
  readonly entraHost: string;
  readonly tenant: string;
  /** Secrets of clients by id. */
  readonly clients: Readonly<Record<string, string>>;
  /** Client ids of the machine's identities; the first is the default. */
  readonly identities: readonly string[];
  /** What App Service puts into IDENTITY_HEADER. */
  readonly identityHeader: string;
  readonly secrets: Readonly<Record<string, AzureSecret>>;
}

export interface AzureSecret {
  readonly value: string;
  readonly enabled?: boolean;
  /** Seconds since the epoch. */
  readonly exp?: number;
  /** Nobody may read it. */
  readonly isDenied?: boolean;
}

export interface Azure {
  readonly vault: VendorServer;
  readonly entra: VendorServer;
  /** The metadata service, and the identity endpoint of App Service. */
  readonly machine: VendorServer;
  readonly hosts: LoopbackHosts;
  /** Every token that was issued. */
  readonly tokens: readonly string[];
  close(): Promise<void>;
}

/**
 * Stands in for Azure Key Vault, Entra ID, the metadata service of virtual machines and the identity endpoint of App Service,
 * which run in Azure only. It follows Microsoft's documentation of "Get Secret", "Authentication, requests and responses"
 * (the challenge), the client credentials grant, and "How to use managed identities". The client that speaks to it is
 * Microsoft's.
 */
export async function startAzure(
  content: AzureContent,
  tls: { cert: string; key: string },
  clock: Clock,
): Promise<Azure> {
  const granted = new Map<string, { readonly audience: string; readonly ends: number }>();
  const grant = (audience: string, seconds: number): string => {
    const token = `canary-azure-token-${granted.size}`;
    granted.set(token, { audience, ends: clock.now() + seconds * 1_000 });
    return token;
  };

  const vault = await startVendorServer((request) => {
    const { audience, ends = 0 } =
      granted.get(request.headers.get("Authorization")?.slice("Bearer ".length) ?? "") ?? {};
    if (audience !== content.resource || clock.now() >= ends) return challenge(content);
    const name = /^\/secrets\/([^/]+)\/$/.exec(request.url.pathname)?.[1] ?? "";
    return secretAnswer(content, name);
  }, tls);

  const entra = await startVendorServer((request) => {
    const form = new URLSearchParams(request.body);
    const [, tenant, ...rest] = request.url.pathname.split("/");
    if (tenant !== content.tenant || rest.join("/") !== "oauth2/v2.0/token") {
      return entraError(400, "invalid_request", "AADSTS90002: Tenant not found.");
    }
    if (form.get("grant_type") !== "client_credentials")
      return entraError(400, "unsupported_grant_type", "AADSTS70003");
    const [id, secret] = [form.get("client_id") ?? "", form.get("client_secret") ?? ""];
    if (content.clients[id] === undefined)
      return entraError(400, "unauthorized_client", `AADSTS700016: ${id} was not found.`);
    if (content.clients[id] !== secret) {
      return entraError(401, "invalid_client", `AADSTS7000215: Invalid client secret provided: ${secret}.`);
    }
    const scope = /^(.*)\/\.default$/.exec(form.get("scope") ?? "")?.[1];
    if (scope === undefined) return entraError(400, "invalid_scope", "AADSTS70011: The scope is not valid.");
    return json(200, {
      token_type: "Bearer",
      expires_in: 3_599,
      ext_expires_in: 3_599,
      access_token: grant(scope, 3_599),
    });
  }, tls);

  const machine = await startVendorServer((request) => {
    const refused = machineRefusal(request, content.identityHeader);
    if (refused !== undefined) return refused;
    const id = request.url.searchParams.get("client_id") ?? content.identities[0] ?? "";
    const resource = request.url.searchParams.get("resource") ?? "";
    if (!content.identities.includes(id)) {
      return json(400, { error: "invalid_request", error_description: "Identity not found" });
    }
    const token = grant(resource, 86_400);
    const common = { access_token: token, client_id: id, resource, token_type: "Bearer" };
    const expires_on = String(Math.floor(clock.now() / 1_000) + 86_400);
    const isAppService = request.url.pathname === "/MSI/token";
    return json(200, { ...common, expires_on, ...(!isAppService && { expires_in: "86400" }) });
  });

  return {
    vault,
    entra,
    machine,
    hosts: {
      [content.vault]: vault.port,
      [content.entraHost]: entra.port,
      "169.254.169.254": machine.port,
      "app-service": machine.port,
    },
    get tokens() {
      return [...granted.keys()];
    },
    close: async () => {
      await Promise.all([vault.close(), entra.close(), machine.close()]);
    },
  };
}

function challenge({ entraHost, tenant, resource }: AzureContent): Response {
  const told = `Bearer authorization="https://${entraHost}/${tenant}", resource="${resource}"`;
  return json(401, { error: { code: "Unauthorized", message: "AKV10000" } }, { "WWW-Authenticate": told });
}

function secretAnswer({ vault, secrets }: AzureContent, name: string): Response {
  const secret = secrets[name];
  const error = (status: number, code: string, inner?: string) =>
    json(status, {
      error: { code, message: `about ${name}`, ...(inner !== undefined && { innererror: { code: inner } }) },
    });
  if (secret === undefined) return error(404, "SecretNotFound");
  if (secret.isDenied) return error(403, "Forbidden", "ForbiddenByRbac");
  const { value, enabled = true, exp } = secret;
  if (!enabled) return error(403, "Forbidden", "SecretDisabled");
  const attributes = { enabled, created: 1_700_000_000, updated: 1_700_000_000, ...(exp !== undefined && { exp }) };
  return json(200, { value, id: `https://${vault}/secrets/${name}/0123456789abcdef0123456789abcdef`, attributes });
}

function entraError(status: number, error: string, error_description: string): Response {
  return json(status, { error, error_description, error_codes: [Number(/\d+/.exec(error_description)?.[0])] });
}

function machineRefusal({ url, headers }: VendorRequest, identityHeader: string): Response | undefined {
  if (url.pathname === "/metadata/identity/oauth2/token") {
    const isRight = headers.get("Metadata") === "true" && url.searchParams.get("api-version") === "2018-02-01";
    return isRight ? undefined : json(400, { error: "invalid_request", error_description: "Required metadata header" });
  }
  if (url.pathname !== "/MSI/token") return new Response(null, { status: 404 });
  const isRight =
    headers.get("X-IDENTITY-HEADER") === identityHeader && url.searchParams.get("api-version") === "2019-08-01";
  return isRight ? undefined : json(401, { statusCode: 401, message: "unauthorized" });
}
