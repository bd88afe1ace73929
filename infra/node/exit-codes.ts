import { ConfigurationError } from "../../lib/config/messages.ts";
import { DeploymentError } from "../../lib/deployment/source.ts";
import { DebugModeError } from "../../lib/logging/logger-configuration.ts";
import { OutboundError } from "../../lib/net/outbound.ts";
import { SecretError } from "../../lib/secrets/provider.ts";
import { StartupError } from "./startup-error.ts";
import { UsageError } from "./usage-error.ts";

/** What the process ends with, so that scripts know what to do next. Signals are not here: 128 and their number. */
export const EXIT = { ok: 0, fault: 1, usage: 2, configuration: 3, refused: 4, unreachable: 5 } as const;

/** The same for people; the help and `docs/configuration.md` list them. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "done",
  fault: "an unexpected fault; of test-policy: a decision is not the expected one",
  usage: "the command line is wrong: a command, a flag, an argument, a file that it names",
  configuration: "the configuration has mistakes, or what it names cannot be used: a secret, a file, a port, the store",
  refused: "somebody refused: this instance, another server, a person, a tool; of explain: the call would be denied",
  unreachable: "another server gave no usable answer",
};

/** Somebody who was asked said no. The message is for people. */
export class RefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RefusedError";
  }
}

/** Another server is not there, or is not what it should be. The message is for people. */
export class UnreachableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnreachableError";
  }
}

/** A connection to another server that came to nothing, with the innermost reason. */
export function noAnswer(from: string, error: unknown): UnreachableError {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  // Of several addresses that were tried, Node joins the errors in one without a message.
  const { code } = Object(inner);
  const reason = inner instanceof Error ? inner.message || String(code) : String(inner);
  return new UnreachableError(`${from} gave no usable answer (${reason}).`);
}

/** Another server's answer that was no success: it refused, or it cannot answer. */
export function statusError(status: number, message: string): RefusedError | UnreachableError {
  return status >= 400 && status < 500 ? new RefusedError(message) : new UnreachableError(message);
}

type Kind = abstract new (...args: never[]) => Error;

/** Every error whose message is for people, with what the process ends with. */
const EXPECTED: readonly (readonly [kind: Kind, code: number])[] = [
  [UsageError, EXIT.usage],
  [ConfigurationError, EXIT.configuration],
  [DebugModeError, EXIT.configuration],
  [DeploymentError, EXIT.configuration],
  [OutboundError, EXIT.configuration],
  [SecretError, EXIT.configuration],
  [StartupError, EXIT.configuration],
  [RefusedError, EXIT.refused],
  [UnreachableError, EXIT.unreachable],
];

/** What the process ends with after an error; undefined where nobody expected it. */
export function expectedExit(error: unknown): number | undefined {
  return EXPECTED.find(([kind]) => error instanceof kind)?.[1];
}
