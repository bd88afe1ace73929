import { ConfigurationError } from "../../lib/config/messages.ts";
import { DeploymentError } from "../../lib/deployment/source.ts";
import { stackOf } from "../../lib/logging/cause.ts";
import { DebugModeError } from "../../lib/logging/logger-configuration.ts";
import { redactText } from "../../lib/logging/redaction.ts";
import { OutboundError } from "../../lib/net/outbound.ts";
import { SecretError } from "../../lib/secrets/provider.ts";
import { systemReason } from "./files/file-error.ts";
import { StartupError } from "./startup-error.ts";
import { UsageError } from "./usage-error.ts";

/** Expected reasons are told in their own words, also those of files; anything else is a mistake of ours and comes with its stack. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = [
    ConfigurationError,
    DebugModeError,
    DeploymentError,
    OutboundError,
    SecretError,
    StartupError,
    UsageError,
  ].some((kind) => error instanceof kind);
  return expected ? error.message : (systemReason(error) ?? redactText(stackOf(error)));
}
