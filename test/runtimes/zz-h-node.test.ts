import { credentials } from "../behaviour/credentials.ts";
import { node } from "./node.ts";

credentials(node);
