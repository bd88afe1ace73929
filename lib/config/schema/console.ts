import { described } from "./described.ts";
import { section } from "./section.ts";
import { email, flag, list, secret, text, url } from "./types.ts";

const SETUP_TOKEN = "text of at least 16 characters";

/** `console`: the management API and how its first owner comes in. */
export const console = described(
  section({
    enabled: described(flag().default(false), "Serves the management API."),
    baseURL: described(
      url().optional(),
      "Where sign-in links point. Without it the public URL.",
      "https://console.example.com",
    ),
    connectors: described(
      list(text("the name of a connector")).optional(),
      "Connectors that people sign in with. Not yet in effect.",
      ["corporate"],
    ),
    passkeys: described(flag().optional(), "Sign-in with passkeys. Not yet in effect."),
    setupToken: described(
      secret(text(SETUP_TOKEN).min(16, { error: SETUP_TOKEN })).optional(),
      "Whoever holds it creates the first organization and owner, once. Without it the embedded server prints one of its own while there is no owner.",
      "<countersign.setup-token>",
    ),
    recoverOwner: described(
      email().optional(),
      "An owner who may sign in again with a setup token whose value was never used.",
      "ada@example.com",
    ),
  }).prefault({}),
  "The management API.",
);
