import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import type { JsonObject } from "../../../json.ts";
import type { ListingCaller } from "../../list-tools.ts";

/** What an agent asks an upstream for that is no tool. Names and URIs are the upstream's own. */
export interface UpstreamUse {
  readonly app: McpProxyAppConfiguration;
  readonly method: string;
  readonly params: JsonObject;
  readonly subject: UseSubject;
}

export type UseSubject =
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "prompt"; readonly name: string; readonly arguments: unknown }
  /** Nothing that has a name: a method that is the upstream's own. */
  | { readonly kind: "other" };

/** Who asks. */
export type UseCaller = ListingCaller;
