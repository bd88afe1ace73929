import { behaveAsSpecified } from "../behaviour/every-suite.ts";
import { node } from "./node.ts";

behaveAsSpecified("tokens", node);
