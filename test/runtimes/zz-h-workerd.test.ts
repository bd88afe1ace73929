import { credentials } from "../behaviour/credentials.ts";
import { workerd } from "./workerd.ts";

credentials(workerd);
