import { openMortalObjects } from "../support/stores-worker/mortal.ts";
import { openObjectReleases } from "../support/stores-worker/releases.ts";
import { killContract } from "./kill/contract.ts";
import { releasesContract } from "./releases/contract.ts";

releasesContract({ name: "Durable Objects", open: openObjectReleases });
killContract({ name: "Durable Objects", open: openMortalObjects });
