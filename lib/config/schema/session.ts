import { described } from "./described.ts";
import { section } from "./section.ts";
import { positiveDuration, text } from "./types.ts";

const COOKIE_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const cookie = section({
  name: described(
    text("a cookie name (RFC 6265)")
      .regex(COOKIE_NAME, { error: "a cookie name (RFC 6265)" })
      .default("__Host-countersign"),
    "Name of the authorization server's cookie; the Console's has `-console` behind it.",
  ),
});

const lifetime = section({
  maxTimeout: described(positiveDuration().prefault("12h"), "How long a session lives."),
  idleTimeout: described(positiveDuration().prefault("1h"), "How long it lives without a request; at most the former."),
});

/** `session`: people's browser sessions, in the Console and at the authorization server. */
export const session = described(
  section({
    cookie: described(cookie.prefault({}), "The cookies of sessions."),
    lifetime: described(lifetime.prefault({}), "When sessions end."),
    store: described(
      section({ type: described(text().optional(), "Accepted, without effect.", "local") }).optional(),
      "Accepted, without effect: sessions live in the runtime's store.",
    ),
  }).prefault({}),
  "Browser sessions of the Console and of the authorization server.",
);
