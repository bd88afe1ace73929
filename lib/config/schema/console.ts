import * as z from "zod";
import { described } from "./described.ts";
import { section } from "./section.ts";
import { baseURL, email, flag, list, secret, text } from "./types.ts";

const SETUP_TOKEN = "text of at least 16 characters";

/** `console`: the management API and the Console, and how people come in. */
export const console = described(
  section({
    enabled: described(flag().default(false), "Serves the management API and the Console."),
    baseURL: described(
      baseURL().optional(),
      "Where the Console stands: where links point, where connectors send people back to, and whose host passkeys belong to. Without it the public URL.",
      "https://console.example.com",
    ),
    passkeys: described(
      flag().default(true),
      "Sign-in with passkeys, where the host of `baseURL` is a name and no address.",
    ),
    connectors: described(
      list(text("the name of a connector")).default([]),
      "Connectors that people sign in with, once they linked their account there.",
      ["corporate"],
    ),
    regions: described(
      z.record(text("a region"), baseURL(), { error: "a mapping of regions to URLs" }).default({}),
      "Consoles of other regions that this one links to, by region.",
      { uk: "https://console.uk.example.com" },
    ),
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
