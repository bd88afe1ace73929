import { mcpTransports } from "../behaviour/mcp-transports.ts";
import { node } from "../runtimes/node.ts";

mcpTransports(node);
