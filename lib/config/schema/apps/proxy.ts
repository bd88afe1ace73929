import * as z from "zod";
import { described } from "../described.ts";
import { section } from "../section.ts";
import { list, text } from "../types.ts";
import { appName } from "./name.ts";

const policy = section({
  location: described(text(), "The path that the policy is about.", "/"),
  authentication: described(
    section({
      idps: described(list(text()), "Connectors that people sign in at, or `oidcProvider`.", ["corp"]),
    }).optional(),
    "Who may pass.",
  ),
});

/** `apps[] type: proxy` (D31): checked, but its routes are not served yet (`warnings/apps.ts`). */
export const proxyApp = section({
  type: described(
    z.literal("proxy", { error: "proxy" }),
    "An HTTP reverse proxy. Not yet in effect: its routes are not served.",
  ),
  name: appName(),
  upstream: described(text().optional(), "Where requests go.", "https://app.example"),
  routePatterns: described(list(text()).optional(), "The paths that are taken.", ["/"]),
  policies: described(list(policy).optional(), "Who may pass, by path."),
});
