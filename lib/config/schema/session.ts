import { section } from "./section.ts";
import { positiveDuration, text } from "./types.ts";

const COOKIE_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** `session`: browser sessions of the management API. */
export const session = section({
  cookie: section({
    name: text("a cookie name (RFC 6265)")
      .regex(COOKIE_NAME, { error: "a cookie name (RFC 6265)" })
      .default("__Host-countersign"),
  }).prefault({}),
  lifetime: section({
    maxTimeout: positiveDuration().default(12 * 3_600_000),
    idleTimeout: positiveDuration().default(3_600_000),
  }).prefault({}),
  store: section({ type: text().optional() }).optional(),
}).prefault({});
