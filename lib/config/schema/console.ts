import * as z from "zod";
import { described, section } from "./section.ts";
import { baseURL, email, flag, list, positiveDuration, secret, text } from "./types.ts";

const SETUP_TOKEN = "text of at least 16 characters";

/** `console`: the management API and the Console, and how people come in. */
export const console = described(
  section({
    enabled: described(flag().default(false), "Serves the management API and the Console."),
    baseURL: described(
      baseURL().optional(),
      "URL of the Console. Links and connector redirects use it, and passkeys are bound to its host. By default the public URL.",
      "https://console.example.com",
    ),
    passkeys: described(
      flag().default(true),
      "Allows sign-in with passkeys. Needs a host name in `baseURL`, not an IP address.",
    ),
    connectors: described(
      list(text("the name of a connector")).default([]),
      "Connectors for sign-in. A person links an account first.",
      ["corporate"],
    ),
    regions: described(
      z.record(text("a region"), baseURL(), { error: "a mapping of regions to URLs" }).default({}),
      "Consoles of other regions to link to, by region.",
      { uk: "https://console.uk.example.com" },
    ),
    setupToken: described(
      secret(text(SETUP_TOKEN).min(16, { error: SETUP_TOKEN })).optional(),
      "One-time token that creates the first organization and owner. Without it, the embedded server prints a token while there is no owner.",
      "<countersign.setup-token>",
    ),
    recoverOwner: described(
      email().optional(),
      "Email address of an owner who may sign in again with a new setup token. A value that was used before does not work.",
      "ada@example.com",
    ),
  }).prefault({}),
  "The management API and the Console.",
);

const COOKIE_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const cookie = section({
  name: described(
    text("a cookie name (RFC 6265)")
      .regex(COOKIE_NAME, { error: "a cookie name (RFC 6265)" })
      .default("__Host-countersign"),
    "Name of the authorization server's cookie. The Console's cookie has the suffix `-console`.",
  ),
});

const lifetime = section({
  maxTimeout: described(positiveDuration().prefault("12h"), "Longest lifetime of a session."),
  idleTimeout: described(
    positiveDuration().prefault("1h"),
    "How long a session lives without a request. At most `maxTimeout`.",
  ),
});

/** `session`: people's browser sessions, in the Console and at the authorization server. */
export const session = described(
  section({
    cookie: described(cookie.prefault({}), "Session cookies."),
    lifetime: described(lifetime.prefault({}), "Lifetime of sessions."),
    store: described(
      section({ type: described(text().optional(), "Accepted, no effect.", "local") }).optional(),
      "Accepted, no effect. Sessions live in the runtime's store.",
    ),
  }).prefault({}),
  "Browser sessions of the Console and of the authorization server.",
);
