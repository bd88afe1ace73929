import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { optionalPeer } from "./optional-peers.ts";
import { type RunningProcess, startProcess } from "./process.ts";

const VERSION = "v7.15.6";

/** With the version that is measured. */
export const OAUTH2_PROXY: string = `oauth2-proxy ${VERSION}`;

export interface OAuth2ProxyOptions {
  /** Whether Go makes the program where it is not at hand. */
  readonly makes: boolean;
  readonly port: number;
  readonly upstream: string;
  readonly provider: { readonly issuer: string; readonly client: { readonly id: string; readonly secret: string } };
  /** Of paths that are for everybody. */
  readonly open: string;
}

/** Where people come back to after they signed in. */
export function oauth2ProxyCallback(port: number): string {
  return `http://localhost:${port}/oauth2/callback`;
}

/** oauth2-proxy with its session in the cookie, and without logs. Absent, and said so, where its program is not at hand and is not made. */
export async function startOAuth2Proxy(
  folder: string,
  { makes, port, upstream, provider, open }: OAuth2ProxyOptions,
): Promise<RunningProcess | undefined> {
  const program = (await optionalPeer("oauth2-proxy")) ?? (makes ? await built(folder) : undefined);
  if (program === undefined) return undefined;
  const settings = {
    provider: "oidc",
    "oidc-issuer-url": provider.issuer,
    "client-id": provider.client.id,
    "client-secret": provider.client.secret,
    "redirect-url": oauth2ProxyCallback(port),
    "code-challenge-method": "S256",
    scope: "openid profile email",
    "email-domain": "*",
    "skip-auth-route": open,
    "skip-provider-button": "true",
    "cookie-secret": randomBytes(16).toString("hex"),
    "cookie-secure": "false",
    "http-address": `localhost:${port}`,
    upstream,
    ...{ "request-logging": "false", "auth-logging": "false", "standard-logging": "false" },
  };
  const given = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return startProcess(program, given, `http://localhost:${port}/ping`);
}

/** The program, made with Go. */
async function built(folder: string): Promise<string | undefined> {
  const env = { ...process.env, GOBIN: folder };
  try {
    await promisify(execFile)("go", ["install", `github.com/oauth2-proxy/oauth2-proxy/v7@${VERSION}`], { env });
    return join(folder, "oauth2-proxy");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const why = isMissing ? "there is no Go to make it with" : `Go could not make it: ${String(error)}`;
    console.log(`${OAUTH2_PROXY}: not measured; ${why}`);
    return undefined;
  }
}
