import { openObjects } from "../support/stores-worker/on-disk.ts";
import { everyContract } from "./every-suite.ts";

everyContract({ name: "Durable Objects", open: openObjects });
