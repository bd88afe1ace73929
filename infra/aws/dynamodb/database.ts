import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Random } from "../../../lib/kernel/random.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import type { StopIndex } from "../../../lib/stores/stop-subjects.ts";
import type { StopsRecord } from "../../../lib/stores/stops.ts";
import type { TableNames } from "./tables.ts";

/** What every store of this folder works with. */
export interface Database {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly random: Random;
  /** For what fails and is not told to the caller. */
  readonly logger?: Pick<Logger, "warn"> | undefined;
  /** What this instance read last of what is stopped. */
  readonly stops: StopsCopy;
}

/** The stops of a revision (D171). A later one takes its place. */
interface StopsCopy {
  record: StopsRecord;
  index: StopIndex;
}
