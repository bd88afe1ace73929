import type { SpecificationRow } from "./row.ts";
import { apiClientRows } from "./rows/api-clients.ts";
import { configurationRows } from "./rows/configuration.ts";
import { gatewayRows } from "./rows/gateway.ts";
import { interoperabilityRows } from "./rows/interoperability.ts";
import { operationRows } from "./rows/operation.ts";
import { tokenEndpointRows } from "./rows/token-endpoint.ts";

/**
 * The rows of the specification that the product serves today. What it refuses as not supported yet has no row but the
 * one that says so (`configuration.unsupported`).
 */
export const rows: readonly SpecificationRow[] = [
  ...apiClientRows,
  ...tokenEndpointRows,
  ...gatewayRows,
  ...configurationRows,
  ...operationRows,
  ...interoperabilityRows,
];
