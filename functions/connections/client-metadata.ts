import { documentAnswer } from "../../lib/authorization-server/cacheable-document.ts";
import { clientMetadata } from "../../lib/connections/client-metadata.ts";
import type { Endpoint } from "../env.ts";

/** GET the Client ID Metadata Document by which this service is a client of the provider of one connector. */
export const connectClientMetadata: Endpoint = (dependencies) => (c) => {
  const document = clientMetadata(c.req.param("connector") ?? "", dependencies.configuration().configuration);
  return document === undefined ? c.notFound() : documentAnswer(document, c.req.header("If-None-Match"));
};
