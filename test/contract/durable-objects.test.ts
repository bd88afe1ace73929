import { durableObjects } from "../support/stores-worker/engine.ts";
import { apiClientsContract } from "./api-clients.ts";
import { auditLogContract } from "./audit-log.ts";
import { directoryContract } from "./directory.ts";
import { singleUseContract } from "./single-use.ts";
import { tokensContract } from "./tokens.ts";

apiClientsContract(durableObjects);
tokensContract(durableObjects);
singleUseContract(durableObjects);
directoryContract(durableObjects);
auditLogContract(durableObjects);
