import * as z from "zod";
import { section } from "../section.ts";
import { list, secret, text, url } from "../types.ts";
import { appName } from "./name.ts";

const GRANTS = "sign-in and grants for configured clients";

/** `apps[] type: oidc`: a confidential client of our provider, for example a resource server that introspects tokens. */
export const oidcApp = section(
  {
    type: z.literal("oidc"),
    name: appName(),
    clientID: text(),
    credentials: secret(
      section(
        { secrets: list(text()).min(1, { error: "at least one secret" }) },
        { jwks: "authentication of configured clients by key" },
      ),
    ),
    resources: list(url()).optional(),
  },
  {
    organization: "an owner for configured clients",
    public: "public clients",
    redirectURLs: GRANTS,
    authentication: GRANTS,
    grantTypes: GRANTS,
    accessToken: GRANTS,
    allowedAudiences: GRANTS,
    customScopes: GRANTS,
    claimsMapping: GRANTS,
    consent: GRANTS,
    scopes: GRANTS,
    tokenExchange: "token exchange",
  },
);
