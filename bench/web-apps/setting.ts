import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { browserFetch } from "../../test/support/browser-fetch.ts";
import { freePort } from "../../test/support/free-port.ts";
import { type IdentityProvider, startIdentityProvider } from "../../test/support/identity-provider.ts";
import { openBrowser, type PersonsBrowser } from "../../test/support/person.ts";
import { startServer, writeConfiguration } from "../support/countersign.ts";
import { OAUTH2_PROXY, oauth2ProxyCallback, startOAuth2Proxy } from "../support/oauth2-proxy.ts";
import type { BenchOptions } from "../support/options.ts";
import { type RunningProcess, startProcess } from "../support/process.ts";
import { FILES } from "./terms.ts";

/** A server that people reach the application by, and who they are to it. */
export interface Entrance {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Value of the header. */
  readonly cookie: string;
}

/** All processes but the load generator. */
export interface Setting {
  readonly ours: Entrance;
  readonly bare: Entrance;
  /** Absent without its program. */
  readonly oauth2Proxy?: Entrance;
  stop(): Promise<void>;
}

/** One person signs in at each server that asks, with the same identity provider. */
export async function startSetting(
  { folder, makesPeers }: BenchOptions,
  flagsOfNode: readonly string[],
): Promise<Setting> {
  const running: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    for (const server of running.toReversed()) await server.stop();
  };
  const kept = <Server extends { stop(): Promise<void> }>(server: Server): Server => {
    running.push(server);
    return server;
  };
  try {
    const provider = kept(await startIdentityProvider());
    const [upstreamPort, port, barePort, peerPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    await provider.register([`http://localhost:${port}/oauth2/callback`, oauth2ProxyCallback(peerPort)]);
    const upstream = `http://localhost:${upstreamPort}`;
    kept(await startProgram("upstream", upstreamPort));
    const bare = kept(await startProgram("bare-proxy", barePort, upstream));
    const gateway = kept(await startGateway(folder, { port, upstream, provider, flagsOfNode }));
    const name = "Countersign";
    const ours = { name, port, pid: gateway.pid, cookie: await signIn(port) };
    const setting = { ours, bare: { ...ours, name: "node:http and fetch", port: barePort, pid: bare.pid }, stop };
    const open = `GET=${OPEN}`;
    const peer = await startOAuth2Proxy(folder, { makes: makesPeers, port: peerPort, upstream, provider, open });
    if (peer === undefined) return setting;
    const { pid } = kept(peer);
    const cookie = await signIn(peerPort);
    return { ...setting, oauth2Proxy: { name: OAUTH2_PROXY, port: peerPort, pid, cookie } };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The same of each: what is on the list of open paths is for everybody, the rest for people who signed in. */
const OPEN = "\\.(css|js|png|svg)$";

async function startProgram(name: string, port: number, ...more: readonly string[]): Promise<RunningProcess> {
  const program = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  return startProcess(process.execPath, [program, String(port), ...more], `http://localhost:${port}/`);
}

interface GatewayOptions {
  readonly port: number;
  readonly upstream: string;
  readonly provider: IdentityProvider;
  readonly flagsOfNode: readonly string[];
}

/** As it ships, with a location that is open, and one with a rule on a claim; the application is told who asks. */
function startGateway(
  parent: string,
  { port, upstream, provider, flagsOfNode }: GatewayOptions,
): Promise<RunningProcess> {
  const { client, wellKnown } = provider;
  const everybody = { authentication: { allowUnauthenticated: true }, authorization: { allowAll: true } };
  const accounting = { rules: [{ equals: ["{{ corp.department }}", "accounting"] }] };
  const configuration = writeConfiguration(mkdtempSync(join(parent, "web-apps-")), port, {
    connectors: [
      {
        name: "corp",
        type: "oidc",
        oidcWellKnownURL: wellKnown,
        oauthClientID: client.id,
        oauthClientSecret: client.secret,
        scopes: "openid profile email corp",
      },
    ],
    apps: [
      {
        name: "site",
        type: "proxy",
        members: "any",
        routePatterns: ["/site"],
        upstream,
        headers: [{ name: "X-Email", value: "{{ corp.email }}" }],
        policies: [
          { location: `~ ${OPEN}`, ...everybody },
          { location: "/", authentication: { idps: ["corp"] }, authorization: accounting },
        ],
      },
    ],
  });
  return startServer(configuration, `http://localhost:${port}`, flagsOfNode);
}

/** @returns the cookies that the server set, without those of the identity provider */
async function signIn(port: number): Promise<string> {
  const { cookies, open, press }: PersonsBrowser = openBrowser(
    () => true,
    (url, init) => browserFetch(url, { ...init, headers: { ...PAGE, ...(init.headers as Record<string, string>) } }),
  );
  const { path, expect } = FILES.short;
  const page = await press(await open(`http://localhost:${port}${path}`), "Sign in", { login: "alice" });
  if (!page.html.startsWith(expect)) throw new Error(`Nobody signed in: ${page.way.join(" → ")}\n${page.html}`);
  return [...cookies]
    .filter(([name]) => !OF_THE_PROVIDER.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
}

const OF_THE_PROVIDER = /^_(?:session|interaction)/;

const PAGE = { "sec-fetch-mode": "navigate", accept: "text/html" };
