import * as z from "zod";
import { about } from "#about";
import { webhookSecret } from "../../protocol/http/standard-webhook.ts";
import { DEFAULT_WEBHOOK_TYPES, WEBHOOK_TYPE_NAMES } from "../webhook-configuration.ts";
import { described, section } from "./section.ts";
import { choice, list, secret, text, url } from "./types.ts";

const SECRET = "whsec_ and 24 to 64 bytes as base64; `echo whsec_$(openssl rand -base64 32)` makes one";

const webhook = section({
  name: described(text(), about("Name in the log.", "security-desk")),
  url: described(
    secret(url()),
    about(
      "Where notices are posted: an `https` URL. Secret, as the URLs of some receivers hold a key.",
      "https://hooks.example.com/countersign",
    ),
  ),
  secrets: described(
    list(secret(text(SECRET).refine((value) => webhookSecret(value) !== undefined, { error: SECRET })))
      .min(1, { error: "at least one secret" })
      .max(5, { error: "at most 5 secrets" }),
    about("Secrets that notices are signed with (Standard Webhooks, HMAC-SHA256). While you replace one, have both.", [
      "<desk.webhook-secret>",
    ]),
  ),
  types: described(
    z
      .array(choice(WEBHOOK_TYPE_NAMES), { error: "a list" })
      .min(1, { error: "at least one type" })
      .default([...DEFAULT_WEBHOOK_TYPES]),
    about(
      "What is told, by the types of audit records: `approval.requested`, `tool.held`, the types of alerts, or `alerts` for all of those.",
      ["approval.requested", "alerts"],
    ),
  ),
  tls: described(
    text("the name of an entry of tls").optional(),
    about("The entry of `tls` for connections to the receiver."),
  ),
});

/** `webhooks[]`: who is told when something waits for a person, or somebody should know of it at once. */
export const webhooks = described(
  list(webhook).default([]),
  about("Receivers of notices about what waits for a person, and of alerts (Standard Webhooks)."),
);
