import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CorpusDocument, read } from "../documents.ts";

/** Documents of companies, an agency and a foundation in packages of npm, by the name that the table has for them. */
const IN_PACKAGES = {
  "blockfrost.yaml": "@blockfrost/openapi/openapi.yaml",
  "dialogporten.json": "@digdir/dialogporten-schema/swagger.verified.json",
  "directus.json": "@directus/specs/dist/openapi.json",
  "doppler.json": "@dopplerhq/mcp-server/doppler-openapi.json",
  "figma.yaml": "@figma/rest-api-spec/openapi/openapi.yaml",
  "ideal-postcodes.json": "@ideal-postcodes/openapi/dist/openapi.json",
  "netlify.json": "@netlify/open-api/dist/swagger.json",
  "notion.json": "@notionhq/notion-mcp-server/scripts/notion-openapi.json",
  "open-payments.yaml": "@interledger/open-payments/dist/openapi/specs/resource-server.yaml",
  "okta.json": "@okta/openapi/dist/spec.json",
} as const;

/** Those of the packages that are installed here. */
export function packagedDocuments(): readonly CorpusDocument[] {
  return Object.entries(IN_PACKAGES)
    .map(([name, path]) => [name, fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))] as const)
    .filter(([, path]) => existsSync(path))
    .map(([name, path]) => read(name, path));
}
