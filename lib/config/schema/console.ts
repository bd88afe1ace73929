import { section } from "./section.ts";
import { email, flag, secret, text, url } from "./types.ts";

/** `console`: the management API and how its first owner comes in. */
export const console = section(
  {
    enabled: flag().default(false),
    baseURL: url().optional(),
    setupToken: secret(
      text("text of at least 16 characters").min(16, { error: "text of at least 16 characters" }),
    ).optional(),
    recoverOwner: email().optional(),
    passkeys: flag().optional(),
  },
  { connectors: "sign-in by an upstream provider" },
).prefault({});
