import { policies } from "../behaviour/policies.ts";
import { node } from "../runtimes/node.ts";

policies(node);
