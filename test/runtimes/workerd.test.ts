import { realClients } from "../behaviour/clients.ts";
import { discoveryDocuments } from "../behaviour/discovery.ts";
import { gateway } from "../behaviour/gateway.ts";
import { introspectionAndRevocation } from "../behaviour/introspection.ts";
import { managementApi } from "../behaviour/management.ts";
import { tokenEndpoint } from "../behaviour/token-endpoint.ts";
import { security } from "../security/token-service.ts";
import { bareWorkerd } from "./bare-workerd.ts";
import { workerd } from "./workerd.ts";

tokenEndpoint(workerd);
introspectionAndRevocation(workerd);
discoveryDocuments(workerd);
managementApi(workerd);
gateway(bareWorkerd);
realClients(workerd);
security(workerd);
