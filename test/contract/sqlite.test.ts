import { sqliteEngines } from "./engines/sqlite.ts";
import { everyContract } from "./every-suite.ts";

for (const engine of sqliteEngines) everyContract(engine);
