import { policies } from "../behaviour/policies.ts";
import { bareWorkerd } from "../runtimes/bare-workerd.ts";
policies(bareWorkerd);
