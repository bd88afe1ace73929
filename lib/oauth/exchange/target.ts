import { managementAudience } from "../../api-clients/audiences.ts";
import type { Configuration } from "../../config/configuration.ts";
import type { OAuthClient } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import type { ExchangeRequest } from "./exchange-token.ts";

/**
 * The one target of an exchange, by `audience` or `resource`, or both where they are equal (RFC 8693 §2.1). Compared as
 * strings, exactly, with what the caller is registered for. The management API is nobody's target: people and API
 * clients are what it knows.
 *
 * @throws {OAuthError} `invalid_target`
 */
export function exchangeTarget(
  { audience, resource }: Pick<ExchangeRequest, "audience" | "resource">,
  { audiences }: Pick<OAuthClient, "audiences">,
  configuration: Pick<Configuration, "publicURL">,
): string {
  const target = audience ?? resource;
  if (target === undefined) throw invalidTarget("audience or resource is missing");
  if ((resource ?? target) !== target) throw invalidTarget("audience and resource differ; one target is accepted");
  if (!audiences.includes(target) || target === managementAudience(configuration)) {
    throw invalidTarget("the client may not ask for this target");
  }
  return target;
}

function invalidTarget(description: string): OAuthError {
  return new OAuthError("invalid_target", { description });
}
