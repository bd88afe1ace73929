import { SDK_INFO } from "@opentelemetry/core";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type { Configuration } from "../../config/configuration.ts";
import { VERSION } from "../../version.ts";

/**
 * What an instance says it is in everything that it sends: `service.*` of the semantic conventions, the SDK, and the
 * region where it has one.
 *
 * @param soid tells the instance from all others, as in its log
 */
export function createResource({ oidcProvider }: Configuration, soid: string): Resource {
  return resourceFromAttributes({
    "service.name": "countersign",
    "service.version": VERSION,
    "service.instance.id": soid,
    "telemetry.sdk.name": SDK_INFO["telemetry.sdk.name"],
    "telemetry.sdk.language": SDK_INFO["telemetry.sdk.language"],
    "telemetry.sdk.version": SDK_INFO["telemetry.sdk.version"],
    ...(oidcProvider !== undefined && { "countersign.region": oidcProvider.region }),
  });
}
