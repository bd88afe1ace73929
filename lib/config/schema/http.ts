import { LOG_LEVELS } from "./logger.ts";
import { section } from "./section.ts";
import { choice, flag, text, url } from "./types.ts";

/** `http`: the listener of the embedded server and the URL that clients use. */
export const http = section(
  {
    address: text("host:port, for example 127.0.0.1:8080 or :8080")
      .refine((value) => parseAddress(value) !== undefined, {
        error: "host:port, for example 127.0.0.1:8080 or :8080, with a port from 0 to 65535",
      })
      .optional(),
    publicURL: url("an http or https URL of a host, without path, query, user name or fragment")
      .refine(isOrigin, { error: "an http or https URL of a host, without path, query, user name or fragment" })
      .optional(),
    accessLog: section({ disabled: flag().default(false), level: choice(LOG_LEVELS).default("info") }).prefault({}),
  },
  { tls: "TLS on the listener; put a TLS proxy in front", hosts: "TLS by host name; put a TLS proxy in front" },
).prefault({});

/** Labels of letters, digits and inner hyphens (RFC 1123 section 2.1); an IPv4 address looks the same. */
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$/;

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
