import * as z from "zod";
import { about } from "#about";
import { OVERRIDE_KINDS, type OverrideKind } from "../overrides/overrides.ts";
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

/** Characters of an expression of an organization: what is nested in so few, checks and calls have room for. */
export const POLICY_LENGTH = 500;

const EXPRESSION = `a CEL expression of up to ${POLICY_LENGTH} characters`;

const policy = section({
  app: text("the name of an app"),
  cel: z.string({ error: EXPRESSION }).min(1, { error: EXPRESSION }).max(POLICY_LENGTH, { error: EXPRESSION }),
});

/** Entries of an organization. */
export const MOST_ENTRIES: Readonly<Record<OverrideKind, number>> = { limits: 10, policies: 20 };

/** What an organization overrides, in lists that are not too long; `apps` are those that it sees. */
export const overridesSchema = section({
  limits: list(limit).default([]),
  policies: list(policy).default([]),
  apps: anything(),
});
