import { decodeProtectedHeader, importSPKI, jwtVerify } from "jose";
import type { Clock } from "../../../lib/kernel/clock.ts";
import type { LoopbackHosts } from "./loopback-fetch.ts";
import { json, startVendorServer, type VendorServer } from "./vendor-server.ts";

export interface GcpContent {
  readonly project: string;
  /** Public keys (PEM) of service accounts by e-mail address. */
  readonly accounts: Readonly<Record<string, string>>;
  /** Whether the machine runs as a service account. */
  readonly hasIdentity: boolean;
  readonly secrets: Readonly<Record<string, GcpSecret>>;
}

export interface GcpSecret {
  readonly data: Uint8Array | string;
  /** As Google tells it; absent: not told. */
  readonly crc32c?: string;
  readonly state?: "DISABLED" | "DESTROYED";
  readonly isDenied?: boolean;
}

export interface Gcp {
  readonly secretManager: VendorServer;
  readonly oauth: VendorServer;
  readonly metadata: VendorServer;
  readonly hosts: LoopbackHosts;
  /** Every token that was issued. */
  readonly tokens: readonly string[];
  endTokens(): void;
  close(): Promise<void>;
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const LIFETIME = 3_599;

/**
 * Stands in for Google Cloud's Secret Manager, its token endpoint and the metadata server of its machines, which run at Google
 * only. It follows Google's documentation of `projects.secrets.versions.access`, "Using OAuth 2.0 for server to server
 * applications" (the assertion is verified) and "View and query VM metadata".
 */
export async function startGcp(content: GcpContent, tls: { cert: string; key: string }, clock: Clock): Promise<Gcp> {
  const granted = new Map<string, number>();
  const tokens: string[] = [];
  const grant = () => {
    const token = `ya29.canary-gcp-token-${tokens.length}`;
    tokens.push(token);
    granted.set(token, clock.now() + LIFETIME * 1_000);
    return json(200, { access_token: token, expires_in: LIFETIME, token_type: "Bearer" });
  };

  const secretManager = await startVendorServer(({ headers, url }) => {
    const ends = granted.get(headers.get("Authorization")?.slice("Bearer ".length) ?? "") ?? 0;
    if (clock.now() >= ends) return error(401, "UNAUTHENTICATED");
    const path = /^\/v1\/projects\/([^/]+)\/secrets\/([^/]+)\/versions\/latest:access$/.exec(url.pathname);
    if (path === null) return new Response("<html>404</html>", { status: 404 });
    return path[1] === content.project ? access(content, path[2] ?? "") : error(403, "PERMISSION_DENIED");
  }, tls);

  const oauth = await startVendorServer(async ({ url, body }) => {
    const form = new URLSearchParams(body);
    const isGrant = form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer";
    if (url.pathname !== "/token" || !isGrant) return json(400, { error: "unsupported_grant_type" });
    const problem = await assertionProblem(content, form.get("assertion") ?? "", clock.now());
    return problem === undefined ? grant() : json(400, { error: "invalid_grant", error_description: problem });
  }, tls);

  const metadata = await startVendorServer(({ url, headers }) => {
    if (headers.get("Metadata-Flavor") !== "Google") return new Response(null, { status: 403 });
    const isToken = url.pathname === "/computeMetadata/v1/instance/service-accounts/default/token";
    return isToken && content.hasIdentity ? grant() : new Response("<html>", { status: 404 });
  });

  return {
    secretManager,
    oauth,
    metadata,
    hosts: {
      "secretmanager.googleapis.com": secretManager.port,
      "oauth2.googleapis.com": oauth.port,
      "metadata.google.internal": metadata.port,
    },
    tokens,
    endTokens: () => granted.clear(),
    close: async () => {
      await Promise.all([secretManager.close(), oauth.close(), metadata.close()]);
    },
  };
}

async function assertionProblem({ accounts }: GcpContent, assertion: string, now: number): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(
      assertion,
      async ({ alg }) => importSPKI(accounts[issuerOf(assertion)] ?? "", alg ?? ""),
      {
        audience: "https://oauth2.googleapis.com/token",
        algorithms: ["RS256"],
        currentDate: new Date(now),
        maxTokenAge: "1h",
      },
    );
    if (decodeProtectedHeader(assertion).typ !== "JWT") return "Invalid JWT header.";
    return payload.scope === SCOPE ? undefined : "Invalid scope.";
  } catch {
    return "Invalid JWT Signature.";
  }
}

function issuerOf(assertion: string): string {
  return JSON.parse(Buffer.from(assertion.split(".")[1] ?? "", "base64url").toString()).iss;
}

function access({ project, secrets }: GcpContent, name: string): Response {
  const secret = secrets[name];
  if (secret?.isDenied) return error(403, "PERMISSION_DENIED");
  if (secret === undefined) return error(404, "NOT_FOUND");
  if (secret.state !== undefined) return error(400, "FAILED_PRECONDITION");
  const { data, crc32c } = secret;
  const payload = {
    ...(data.length > 0 && { data: Buffer.from(data).toString("base64") }),
    ...(crc32c !== undefined && { dataCrc32c: crc32c }),
  };
  return json(200, { name: `projects/${project}/secrets/${name}/versions/3`, payload });
}

function error(code: number, status: string): Response {
  return json(code, { error: { code, status, message: `about the request: ${status}` } });
}
