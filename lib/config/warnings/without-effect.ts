import type { Runtime } from "../configuration.ts";
import { parseDuration } from "../duration.ts";
import type { Path } from "../path.ts";

/** A key that is accepted and changes nothing; one warning says so, wherever it is written. */
export interface WithoutEffect {
  /** `*` is every entry of a list or a mapping. */
  readonly path: Path;
  readonly message: string;
  /** Which values are worth a word; without it all. */
  readonly when?: (value: unknown) => boolean;
  /** Where it changes nothing; without it everywhere. */
  readonly runtimes?: readonly Runtime[];
  /** What gives it an effect when any of it is written; `*` is any entry of a list. */
  readonly unless?: readonly Path[];
}

const NOT_YET = "accepted, not yet in effect";
const NO_EFFECT = "accepted, without effect";
const OWN_STORE = `${NO_EFFECT}: state lives in the runtime's store`;
const NO_PROVIDER = `${NO_EFFECT}: people sign in at connectors for the clients of oidcProvider or for web apps, and neither is here`;
const NOWHERE = `${NO_EFFECT}: people sign in at connectors for the clients of oidcProvider, for web apps or by console.connectors, and none of these is here`;
const OWN_SUBJECT = `${NO_EFFECT}: sub stays this instance's own id of a person; map another claim, for example idp_sub, for services that need the connector's`;
/** Where an app of type `proxy` names connectors; no other kind of app has this key. */
const WEB_SIGN_IN = ["apps", "*", "policies", "*", "authentication", "idps"] as const;
/** Where an app needs people who connect accounts: they sign in for that, too. */
const USER_TOKEN = ["apps", "*", "authorization", "outbound", "userToken"] as const;
const EDGE = ["workers", "lambda"] as const;
/** Milliseconds. */
const MINUTE = 60_000;

export const WITHOUT_EFFECT: readonly WithoutEffect[] = [
  { path: ["http", "address"], message: "without effect: this runtime has no listener of its own", runtimes: EDGE },
  { path: ["http", "tls"], message: "without effect: the platform ends TLS", runtimes: EDGE },
  { path: ["http", "hosts"], message: "without effect: the platform ends TLS", runtimes: EDGE },
  {
    path: ["http", "trustedProxies"],
    message: "without effect: the platform tells callers' addresses",
    runtimes: EDGE,
  },
  {
    path: ["health", "heartbeat", "interval"],
    message: "without requests the heartbeat comes once a minute: the platform's schedule has no shorter interval",
    when: (value) => typeof value === "string" && (parseDuration(value) ?? MINUTE) < MINUTE,
    runtimes: ["lambda"],
  },
  { path: ["tls"], message: "without effect: this runtime reads no files", runtimes: ["workers"] },
  { path: ["store"], message: "without effect: this runtime has a store of its own", runtimes: EDGE },
  {
    path: ["store", "region"],
    message: `${NOT_YET}: the store is of the region oidcProvider.region`,
    runtimes: ["node"],
  },
  { path: ["session", "store"], message: `${NO_EFFECT}: sessions live in the runtime's store` },
  ...["read", "write", "idle", "endpoint"].map((what) => ({
    path: ["http", `${what}TimeoutSeconds`],
    message: `${NO_EFFECT}: the server has timeouts of its own`,
  })),
  { path: ["features"], message: `${NO_EFFECT}: nothing here is turned on by it` },
  { path: ["caches"], message: OWN_STORE },
  {
    path: ["audit", "delivery"],
    message: `${NO_EFFECT}: every call waits for its audit record`,
    when: (value) => value === "background",
  },
  ...["offlineAccess", "oauthLoginRedirect", "oauthRedirectURL", "oauthLogoutRedirect"].map((key) => ({
    path: ["connectors", "*", key],
    message: NO_PROVIDER,
    unless: [["oidcProvider"], WEB_SIGN_IN, USER_TOKEN],
  })),
  ...["scopes", "disablePKCE"].map((key) => ({
    path: ["connectors", "*", key],
    message: NOWHERE,
    unless: [["oidcProvider"], ["console", "connectors"], WEB_SIGN_IN, USER_TOKEN],
  })),
  ...["stream", "sse"].map((transport) => ({
    path: ["apps", "*", "upstream", transport, "connection"],
    message: "without effect: connections on Workers take no settings",
    runtimes: ["workers"] as const,
  })),
  { path: ["oidcProvider", "correlateSession"], message: `${NOT_YET}: tokens belong to no session` },
  { path: ["oidcProvider", "cache"], message: OWN_STORE },
  {
    path: ["vault"],
    message: `${NO_EFFECT}: no app has outbound.type: userToken`,
    unless: [USER_TOKEN],
  },
  { path: ["apps", "*", "claimsMapping", "sub"], message: OWN_SUBJECT },
  { path: ["oidcProvider", "registration", "claimsMapping", "sub"], message: OWN_SUBJECT },
];
