import { isNetwork } from "../../net/networks.ts";
import { described } from "./described.ts";
import { LOG_LEVELS } from "./logger.ts";
import { section } from "./section.ts";
import { choice, flag, list, text, url } from "./types.ts";

const ADDRESS = "host:port, for example 127.0.0.1:8080 or :8080";
const ORIGIN = "an http or https URL of a host, without path, query, user name or fragment";
const SERVER_NAME = "a host name, or *. and a host name";
const NETWORK = "an IP address, or a network such as 10.0.0.0/8";

/** Labels of letters, digits and inner hyphens (RFC 1123 section 2.1); an IPv4 address looks the same. */
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$/;

const accessLog = section({
  disabled: described(flag().default(false), "Turns the access log off."),
  level: described(choice(LOG_LEVELS).default("info"), "Level of the access log's entries."),
});

const host = section({
  default: described(flag().default(false), "Answers whoever asks for no name, or for one that no entry has."),
  name: described(
    text(SERVER_NAME)
      .refine((value) => HOST_NAME.test(value.replace(/^\*\./, "")), { error: SERVER_NAME })
      .optional(),
    "The host name that clients ask for (SNI). Required unless `default` is true.",
    "*.gateway.example.com",
  ),
  tls: described(text("the name of an entry of tls"), "The entry of `tls` that this name is served with.", "gateway"),
});

/** `http`: the listener of the embedded server and the URL that clients use. */
export const http = described(
  section({
    address: described(
      text(ADDRESS)
        .refine((value) => parseAddress(value) !== undefined, { error: `${ADDRESS}, with a port from 0 to 65535` })
        .default("127.0.0.1:8080"),
      "Where the server listens; without a host on every interface.",
      ":8443",
    ),
    publicURL: described(
      url(ORIGIN).refine(isOrigin, { error: ORIGIN }).optional(),
      "The URL that clients use. Without it the origin of the gateway's audiences, or made of the address; required on Workers and Lambda, and with port 0.",
      "https://gateway.example.com",
    ),
    tls: described(
      text("the name of an entry of tls").optional(),
      "The entry of `tls` that the listener uses. Without it and `hosts` it speaks plain HTTP.",
      "gateway",
    ),
    hosts: described(list(host).default([]), "TLS by the host name that clients ask for."),
    trustedProxies: described(
      list(text(NETWORK).refine(isNetwork, { error: NETWORK })).default([]),
      "Addresses and networks of proxies whose `X-Forwarded-For` and `Forwarded` are believed.",
      ["10.0.0.0/8"],
    ),
    accessLog: described(accessLog.prefault({}), "One log entry a request."),
  }).prefault({}),
  "The listener.",
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
