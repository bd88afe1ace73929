import * as z from "zod";
import { about } from "#about";
import { described, section } from "./section.ts";
import { baseURL, email, flag, list, path, positiveDuration, secret, text, url } from "./types.ts";

const SETUP_TOKEN = "text of at least 16 characters";

/** `console`: the management API and the Console, and how people come in. */
export const console = described(
  section({
    enabled: described(flag().default(false), about("Serves the management API and the Console.")),
    baseURL: described(
      baseURL().optional(),
      about(
        "URL of the Console. Links and connector redirects use it, and passkeys are bound to its host. By default the public URL.",
        "https://console.example.com",
      ),
    ),
    passkeys: described(
      flag().default(true),
      about("Allows sign-in with passkeys. Needs a host name in `baseURL`, not an IP address."),
    ),
    connectors: described(
      list(text("the name of a connector")).default([]),
      about("Connectors for sign-in. A person links an account first.", ["corporate"]),
    ),
    regions: described(
      z.record(text("a region"), baseURL(), { error: "a mapping of regions to URLs" }).default({}),
      about("Consoles of other regions to link to, by region.", { uk: "https://console.uk.example.com" }),
    ),
    playground: described(
      flag().default(true),
      about("Lets people try tools on the pages of the Console, with tokens of five minutes."),
    ),
    traceURL: described(
      traceURL().optional(),
      about(
        "URL of a trace in a viewer, with `{traceId}` for its id. Records of calls then link to their traces.",
        "https://tracing.example.com/trace/{traceId}",
      ),
    ),
    documentationURL: described(
      baseURL().optional(),
      about(
        "Where a copy of the documentation is served, which `npm run docs` builds. Terms in the Console link to their explanation there. Without it there are no such links.",
        "https://docs.example.com/countersign",
      ),
    ),
    setupToken: described(
      secret(text(SETUP_TOKEN).min(16, { error: SETUP_TOKEN })).optional(),
      about(
        "One-time token that creates the first organization and owner. Without it, the embedded server prints a token while there is no owner.",
        "<countersign.setup-token>",
      ),
    ),
    recoverOwner: described(
      email().optional(),
      about(
        "Email address of an owner who may sign in again with a new setup token. A value that was used before does not work.",
        "ada@example.com",
      ),
    ),
  }).prefault({}),
  about("The management API and the Console."),
);

/** Neither scheme nor host is made of the id, which agents choose. */
function traceURL() {
  const accepted = "an absolute http or https URL without user name or password, with {traceId} behind its host";
  const isTraceURL = (value: string) => {
    const [one, other] = ["0", "f"].map((digit) => value.replaceAll("{traceId}", digit.repeat(32)));
    if (one === other || !/^https?:\/\//.test(value)) return false;
    const [zeros, others] = [one, other].map((url) => URL.parse(url ?? ""));
    return zeros != null && zeros.origin === others?.origin && zeros.username === "" && zeros.password === "";
  };
  return text(accepted).refine(isTraceURL, { error: accepted });
}

const COOKIE_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** In lower case and without a leading dot from here on, as browsers read it (RFC 6265 §5.2.3). */
function domain() {
  const accepted = "a domain such as example.com";
  return text(accepted)
    .overwrite((value) => value.replace(/^\./, "").toLowerCase())
    .regex(DOMAIN, { error: accepted });
}

const cookie = section({
  name: described(
    text("a cookie name (RFC 6265)").regex(COOKIE_NAME, { error: "a cookie name (RFC 6265)" }).optional(),
    about(
      "Name of the authorization server's cookie. By default `__Host-countersign`, with `domain` `__Secure-countersign`. The Console's cookie has the suffix `-console`.",
    ),
  ),
  domain: described(
    domain().optional(),
    about(
      "Domain whose hosts share the authorization server's cookie, so that one sign-in is for all of them. Each of these hosts can set the cookie. The Console keeps a cookie of its own host. By default each host has its own.",
      "example.com",
    ),
  ),
});

const lifetime = section({
  maxTimeout: described(positiveDuration().prefault("12h"), about("Longest lifetime of a session.")),
  idleTimeout: described(
    positiveDuration().prefault("1h"),
    about("How long a session lives without a request. At most `maxTimeout`."),
  ),
});

/** `session`: people's browser sessions, in the Console and at the authorization server. */
export const session = described(
  section({
    cookie: described(cookie.prefault({}), about("Session cookies.")),
    lifetime: described(lifetime.prefault({}), about("Lifetime of sessions.")),
    store: described(
      section({ type: described(text().optional(), about("Accepted, no effect.", "local")) }).optional(),
      about("Accepted, no effect. Sessions live in the runtime's store."),
    ),
  }).prefault({}),
  about("Browser sessions of the Console and of the authorization server."),
);

const SIGN_OUT = "a path such as /single-logout, or a URL with one, which holds letters, digits and . _ ~ - / only";

/** Only plain characters: routers read others as patterns. */
function signOutURL() {
  const isPlain = (value: string) => URL.canParse(value) && /^https?:\/\/[^/?]+\/[A-Za-z0-9._~/-]*$/.test(value);
  return url(SIGN_OUT).refine(isPlain, { error: SIGN_OUT });
}

/** `singleLogout`: signs people out here and at every connector that they signed in at. */
export const singleLogout = described(
  section({
    logoutURL: described(
      z.union([path(), signOutURL()], { error: SIGN_OUT }),
      about("Path, or URL at the host where people sign in. A page there asks before it signs out.", "/single-logout"),
    ),
    postLogout: described(
      section({
        redirectURL: described(
          url().optional(),
          about("Where people go afterwards. By default a page of this instance.", "https://www.example.com"),
        ),
      }).prefault({}),
      about("After signing out."),
    ),
  }).optional(),
  about("One address at which people sign out here and at every connector that they signed in at."),
);
