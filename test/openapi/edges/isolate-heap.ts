import { once } from "node:events";
import { eventually } from "../../support/eventually.ts";
