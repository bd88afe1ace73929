import type { SpecificationRow } from "./row.ts";
import { apiClientRows } from "./rows/api-clients.ts";
import { configurationRows } from "./rows/configuration.ts";
import { consoleRows } from "./rows/console.ts";
import { flowRows } from "./rows/flow.ts";
import { gatewayRows } from "./rows/gateway.ts";
import { interoperabilityRows } from "./rows/interoperability.ts";
import { limitRows } from "./rows/limits.ts";
import { operationRows } from "./rows/operation.ts";
import { tokenEndpointRows } from "./rows/token-endpoint.ts";

/**
 * What the specification says, and every key of its configuration. Where the product does not do it, or only on some of its
 * runtimes, the row says so. `sentences.test.ts` sees that no sentence is without a row.
 */
export const rows: readonly SpecificationRow[] = [
  ...apiClientRows,
  ...tokenEndpointRows,
  ...flowRows,
  ...gatewayRows,
  ...consoleRows,
  ...configurationRows,
  ...operationRows,
  ...limitRows,
  ...interoperabilityRows,
];

/** Rows about what no sentence of the specification asks for, and the product promises. */
export const BESIDE_THE_SPECIFICATION: readonly string[] = [
  "configuration.published",
  "configuration.unsupported",
  "configuration.clients",
  "configuration.sign-in",
  "configuration.signing-keys",
  "configuration.unknown",
  "configuration.defaults",
  "limits.durations",
  "stores.sqlite",
  "stores.sqlite-thread",
  "stores.durable-objects",
  "stores.dynamodb",
];
