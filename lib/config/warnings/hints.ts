import type { Runtime } from "../configuration.ts";
import { type Path, placesOf, valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";
import { OIDC_ALIASES } from "../schema/other-products.ts";
import type { WarningSources } from "../warnings.ts";
import {
  documentFlawWarnings,
  invalidOperationWarnings,
  otherServerWarnings,
  unmetSecurityWarnings,
} from "./documents.ts";
import { issuerWarnings, ownServerWarnings, sseAudienceWarnings } from "./gateway.ts";
import { limitedToolWarnings } from "./limited-tools.ts";
import { ownExchangeWarnings } from "./own-exchange.ts";
import { regoWarnings } from "./rego.ts";
import { signInWarnings } from "./sign-in.ts";
import { userTokenWarnings } from "./user-tokens.ts";
import { WITHOUT_EFFECT } from "./without-effect.ts";

/**
 * What may be a mistake of whoever writes the document, and opens nothing. `#hints` is this function, and on Workers one that says
 * nothing (package.json, imports): their build and their publishers are told.
 */
export function hintsAbout(
  { document, catalogs, policies, runtime, publicURL }: WarningSources,
  apps: readonly unknown[],
): readonly Problem[] {
  return [
    ...withoutEffect(document, runtime),
    ...otherTypes(document),
    ...sseAudienceWarnings(document, publicURL),
    ...issuerWarnings(document, publicURL),
    ...ownServerWarnings(document, publicURL),
    ...ownExchangeWarnings(document),
    ...signInWarnings(document, publicURL, runtime),
    ...regoWarnings(apps, policies),
    ...userTokenWarnings(document, publicURL),
    ...invalidOperationWarnings(apps, catalogs),
    ...documentFlawWarnings(apps, catalogs),
    ...unmetSecurityWarnings(apps, catalogs),
    ...otherServerWarnings(apps, catalogs),
    ...limitedToolWarnings(document, catalogs),
  ];
}

/** One warning a key, at its first place. What is not known yet may turn out to be worth no word. */
function withoutEffect(document: unknown, runtime: Runtime): readonly Problem[] {
  return WITHOUT_EFFECT.flatMap(({ path: pattern, message, when, runtimes, unless }) => {
    if (runtimes !== undefined && !runtimes.includes(runtime)) return [];
    if (unless?.some((path) => placesOf(document, path).length > 0)) return [];
    const isWorthAWord = (value: unknown) => when === undefined || (value !== null && when(value));
    const places = placesOf(document, pattern).filter((place) => isWorthAWord(valueAt(document, place)));
    const [path, ...others] = places;
    if (path === undefined) return [];
    return [{ path, message: others.length === 0 ? message : `${message} (${places.length} places)` }];
  });
}

function otherTypes(document: unknown): readonly Problem[] {
  return placesOf(document, ["connectors", "*", "type"]).flatMap((path: Path) => {
    const type = valueAt(document, path);
    return OIDC_ALIASES.some((alias) => alias === type) ? [{ path, message: `${String(type)} is read as oidc` }] : [];
  });
}
