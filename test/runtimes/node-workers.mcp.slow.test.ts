import { behaveAsSpecified } from "../behaviour/every-suite.ts";
import { nodeWithWorkers } from "./node.ts";

behaveAsSpecified("mcp", nodeWithWorkers);
