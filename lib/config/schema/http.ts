import * as z from "zod";
import { about } from "#about";
import { isNetwork } from "../../net/networks.ts";
import { LOG_LEVELS } from "./logger.ts";
import { described, section } from "./section.ts";
import { anything, choice, flag, integer, list, text, url } from "./types.ts";

const ADDRESS = "host:port, for example 127.0.0.1:8080 or :8080";
const ORIGIN = "an http or https URL of a host, without path, query, user name or fragment";
const SERVER_NAME = "a host name, or *. and a host name";
const MOST_WORKERS = 64;
const WORKERS = `a whole number from 1 to ${MOST_WORKERS}, or auto`;
const NETWORK = "an IP address, or a network such as 10.0.0.0/8";

/** Labels of letters, digits and inner hyphens (RFC 1123 section 2.1); an IPv4 address looks the same. */
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$/;

/** Published files have it; the listener has timeouts of its own (`warnings/without-effect.ts`). */
const timeout = described(anything().optional(), about("Accepted, no effect. The server has timeouts of its own."));

const accessLog = section({
  disabled: described(flag().default(false), about("Turns the access log off.")),
  level: described(choice(LOG_LEVELS).default("info"), about("Level of the access log's entries.")),
});

const host = section({
  default: described(
    flag().default(false),
    about("Serves clients that send no server name, or a name without an entry."),
  ),
  name: described(
    text(SERVER_NAME)
      .refine((value) => HOST_NAME.test(value.replace(/^\*\./, "")), { error: SERVER_NAME })
      .optional(),
    about("Host name that the client sends (SNI). Required unless `default` is true.", "*.gateway.example.com"),
  ),
  tls: described(text("the name of an entry of tls"), about("The entry of `tls` for this name.", "gateway")),
});

/** `http`: the listener of the embedded server and the URL that clients use. */
export const http = described(
  section({
    address: described(
      text(ADDRESS)
        .refine((value) => parseAddress(value) !== undefined, { error: `${ADDRESS}, with a port from 0 to 65535` })
        .default("127.0.0.1:8080"),
      about("Listen address. Without a host, the server listens on every interface.", ":8443"),
    ),
    publicURL: described(
      url(ORIGIN).refine(isOrigin, { error: ORIGIN }).optional(),
      about(
        "URL that clients use. By default the origin of the gateway's audiences, or else derived from `address`. Required on Workers, on Lambda and with port 0.",
        "https://gateway.example.com",
      ),
    ),
    tls: described(
      text("the name of an entry of tls").optional(),
      about("The entry of `tls` for the listener. Without `tls` and `hosts`, the listener uses plain HTTP.", "gateway"),
    ),
    hosts: described(list(host).default([]), about("TLS settings by host name (SNI).")),
    trustedProxies: described(
      list(text(NETWORK).refine(isNetwork, { error: NETWORK })).default([]),
      about(
        "IP addresses and networks of trusted proxies. Only their `X-Forwarded-For` and `Forwarded` headers are used.",
        ["10.0.0.0/8"],
      ),
    ),
    workers: described(
      z.union([z.literal("auto"), integer(1, MOST_WORKERS, WORKERS)], { error: WORKERS }).default(1),
      about(
        "Processes that serve requests; `auto`: one for each core that the process may use. They share the port and the store. 1 on Workers and Lambda.",
        2,
      ),
    ),
    readTimeoutSeconds: timeout,
    writeTimeoutSeconds: timeout,
    idleTimeoutSeconds: timeout,
    endpointTimeoutSeconds: timeout,
    accessLog: described(accessLog.prefault({}), about("One log entry per request.")),
  }).prefault({}),
  about("The listener."),
);

/** Host and port of `host:port`, `[v6]:port` or `:port` (every interface); undefined when the text is none. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:]*)):(\d{1,5})$/.exec(address);
  const [, v6, name = "", digits] = match ?? [];
  const port = Number(digits);
  if (match === null || port > 65_535) return undefined;
  if (v6 === undefined && name === "") return { host: "::", port };
  // The URL that is made of it must be one: 256.1.1.1 and [1.2.3.4] look right and are none.
  const isHost = (v6 !== undefined || HOST_NAME.test(name)) && URL.canParse(`http://${address}`);
  return isHost ? { host: v6 ?? name, port } : undefined;
}

function isOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { pathname, search } = new URL(value);
  return pathname === "/" && search === "" && !value.includes("?") && !value.endsWith("//");
}
