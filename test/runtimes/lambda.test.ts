import { afterAll, beforeAll } from "vitest";
import { realClients } from "../behaviour/clients.ts";
import { discoveryDocuments } from "../behaviour/discovery.ts";
import { gateway } from "../behaviour/gateway.ts";
import { introspectionAndRevocation } from "../behaviour/introspection.ts";
import { managementApi } from "../behaviour/management.ts";
import { tokenEndpoint } from "../behaviour/token-endpoint.ts";
import { security } from "../security/token-service.ts";
import { type RunningDynamo, startDynamo } from "../support/dynamodb.ts";
import { lambda } from "./lambda.ts";

let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

const runtime = lambda(() => dynamo);

discoveryDocuments(runtime);
tokenEndpoint(runtime);
introspectionAndRevocation(runtime);
managementApi(runtime);
gateway(runtime);
realClients(runtime);
security(runtime);
