import * as z from "zod";
import { about } from "#about";
import { OVERRIDE_KINDS } from "../overrides/overrides.ts";
import { limit } from "./limits.ts";
import { described, section } from "./section.ts";
import { anything, choice, list, text } from "./types.ts";

/** `deployment`: what others than the operator may change while instances run. */
export const deployment = described(
  section({
    overridable: described(
      list(choice(OVERRIDE_KINDS)).default([]),
      about(
        "What owners of an organization may add for their own organization, by the [management API](api.md#overrides-of-an-organization): `limits` of their agents, `policies` of their apps. Both add to what stands here and take nothing away.",
        ["limits"],
      ),
    ),
  }).prefault({}),
  about("What others may change while instances run."),
);

const EXPRESSION = "a CEL expression of up to 8192 characters";

const policy = section({
  app: text("the name of an app"),
  cel: z.string({ error: EXPRESSION }).min(1, { error: EXPRESSION }).max(8_192, { error: EXPRESSION }),
});

/** What an organization overrides; `apps` are those that it sees. */
export const overridesSchema = section({
  limits: list(limit).max(20, { error: "at most 20 limits" }).default([]),
  policies: list(policy).max(50, { error: "at most 50 policies" }).default([]),
  apps: anything(),
});
