import * as z from "zod";
import { section } from "../section.ts";
import { list, text } from "../types.ts";
import { appName } from "./name.ts";

const policy = section({
  location: text(),
  authentication: section({ idps: list(text()) }).optional(),
});

/** `apps[] type: proxy` (D31): checked, but its routes are not served yet (`warnings.ts`). */
export const proxyApp = section({
  type: z.literal("proxy"),
  name: appName(),
  upstream: text().optional(),
  routePatterns: list(text()).optional(),
  policies: list(policy).optional(),
});
