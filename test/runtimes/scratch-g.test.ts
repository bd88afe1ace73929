import { afterAll, beforeAll } from "vitest";
import { relyingParties } from "../behaviour/relying-parties.ts";
import { tokenEndpoint } from "../behaviour/token-endpoint.ts";
import { oauthClients } from "../behaviour/oauth-clients.ts";
import { security } from "../security/token-service.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { lambda } from "./lambda.ts";
import { node } from "./node.ts";
import { workerd } from "./workerd.ts";
const which = process.env.WHICH;
if (which === "lambda") {
  let dynamo: RunningDynamo;
  beforeAll(async () => { dynamo = await joinDynamo(); });
  afterAll(() => dynamo.stop());
  relyingParties(lambda(() => dynamo));
} else { const r = which === "workerd" ? workerd : node; relyingParties(r); 
 if (which === "node") { tokenEndpoint(r); oauthClients(r); security(r); } }
