import { createSchemaCheck, type SchemaCheck } from "../bridge/validation.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Dependencies, RequestContext } from "../dependencies.ts";
import type { Identity } from "./identity.ts";
import { createOrganizationOf, type OrganizationOf } from "./organization.ts";
import { createToolIndex, type ToolIndex } from "./tool-index.ts";

/** What every call of one configuration shares. */
export interface Gateway {
  readonly tools: ToolIndex;
  readonly dependencies: Dependencies;
  readonly check: SchemaCheck;
  readonly organizationOf: OrganizationOf;
}

/** One `tools/call` of an agent. */
export interface ToolCall {
  /** As the agent sees it. */
  readonly name: string;
  readonly arguments: unknown;
  /** Undefined when the configuration asks for no authorization. */
  readonly identity: Identity | undefined;
  readonly request: RequestContext;
  /** Aborts when the agent gives up. */
  readonly signal: AbortSignal;
}

export function createGateway(configuration: Configuration, dependencies: Dependencies): Gateway {
  return {
    tools: createToolIndex(configuration.apps),
    dependencies,
    check: createSchemaCheck(),
    organizationOf: createOrganizationOf(dependencies),
  };
}
