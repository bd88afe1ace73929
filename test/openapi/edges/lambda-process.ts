import { once } from "node:events";
import { invokeInProcess, provideAwslambda } from "../../infra-aws/support/in-process-runtime.ts";
import { openPublicDomain } from "../../infra-aws/support/public-domain.ts";
import { ORIGIN_SECRET } from "../../runtimes/lambda.ts";

/** A bundled function in a process of its own: sends its URL to its parent and, when that says anything, what memory it holds. */
const [bundle = ""] = process.argv.slice(2);
provideAwslambda();
const domain = await openPublicDomain(ORIGIN_SECRET);
process.env.PUBLIC_URL = domain.url;
const { handler } = (await import(bundle)) as { readonly handler: Parameters<typeof invokeInProcess>[0] };
domain.serve(invokeInProcess(handler));
process.send?.(domain.url);
await once(process, "message");
const { rss, heapUsed, external } = process.memoryUsage();
process.send?.({ resident: rss, heap: heapUsed + external });
