import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { OpenAPISchemaValidator } from "express-openapi-validator/dist/framework/openapi.schema.validator.js";
import { Hono } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Env } from "../../functions/env.ts";
import { mountManagement } from "../../functions/management-routes.ts";
import { createInstance } from "../../lib/application/instance.ts";
import { createStoreProbe } from "../../lib/health/store-probe.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import { DOCUMENT, OPERATIONS } from "./documented.ts";
import { type ManagedInstance, startManaged } from "./instance.ts";

let product: ManagedInstance;
beforeAll(async () => {
  product = await startManaged();
});
afterAll(() => product.close());

const PATH = "/api/v1/openapi.json";

test("the document is served to anybody, says where and which version it is, and is kept for five minutes", async () => {
  const answer = await product.send(PATH);
  expect(answer.headers.get("Cache-Control")).toBe("public, max-age=300");
  const document = await answer.json();
  expect(document).toEqual(DOCUMENT);
  expect(document).toMatchObject({ info: { version: VERSION }, servers: [{ url: "https://us.example" }] });
  const again = await product.send(PATH, { headers: { "If-None-Match": answer.headers.get("ETag") as string } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test("each route below /api/v1 is an operation of the document, and each operation a route", () => {
  const { dependencies } = product;
  const app = new Hono<Env>();
  const instance = createInstance(dependencies.configuration(), dependencies, createStoreProbe(dependencies));
  mountManagement(app, instance, dependencies);
  const endpoints = app.routes.filter(({ method }) => method !== METHOD_NAME_ALL);
  const routes = endpoints.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  const operations = OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(routes.sort()).toEqual(operations.sort());
});

test("the document is OpenAPI 3.1, by the schema of the OpenAPI Initiative", () => {
  const validator = new OpenAPISchemaValidator({ version: "3.1.1", validateApiSpec: true });
  expect(validator.validate(DOCUMENT as never).errors).toEqual([]);
});

test("operation ids are unique, and each schema is one of JSON Schema 2020-12", () => {
  const ids = OPERATIONS.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  formats.default(ajv);
  const { schemas } = DOCUMENT.components as { schemas: Readonly<Record<string, object>> };
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(inOwnPlace(schema), name);
  for (const name of Object.keys(schemas)) expect(ajv.getSchema(name), name).toBeTypeOf("function");
});

test("each path parameter that a path names is described, and no other", () => {
  for (const { path, parameters = [] } of OPERATIONS) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
    expect(described, path).toEqual(named);
  }
});

test("the management API is an app of the gateway: each of its operations is a tool", async () => {
  const { apps } = product.dependencies.configuration().configuration;
  const catalogs = apps.flatMap((app) => (app.type === "mcpBridge" ? [app.catalog] : []));
  expect(catalogs.flatMap(({ leftOut, flaws = [] }) => [...leftOut, ...flaws])).toEqual([]);
  const tools = catalogs.flatMap(({ tools: all }) => all.map(({ localName }) => localName));
  expect(tools.sort()).toEqual(OPERATIONS.map(({ operationId }) => operationId).sort());
});

/** A schema whose references are to schemas by their names. */
function inOwnPlace(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "")) as object;
}
