import type { SpecificationRow } from "./row.ts";
import { apiClientRows } from "./rows/api-clients.ts";
import { configurationRows } from "./rows/configuration.ts";
import { gatewayRows } from "./rows/gateway.ts";
import { interoperabilityRows } from "./rows/interoperability.ts";
import { limitRows } from "./rows/limits.ts";
import { operationRows } from "./rows/operation.ts";
import { tokenEndpointRows } from "./rows/token-endpoint.ts";

/**
 * The rows of the specification that the product serves today, and every key of its configuration: one that is accepted
 * without being in effect has a row that says so. `complete.test.ts` sees that none is forgotten.
 */
export const rows: readonly SpecificationRow[] = [
  ...apiClientRows,
  ...tokenEndpointRows,
  ...gatewayRows,
  ...configurationRows,
  ...operationRows,
  ...limitRows,
  ...interoperabilityRows,
];
