import { mcpTransports } from "../behaviour/mcp-transports.ts";
import { bareWorkerd } from "../runtimes/bare-workerd.ts";

mcpTransports(bareWorkerd);
