import { once } from "node:events";
import { invokeInProcess, provideAwslambda } from "../../infra-aws/support/in-process-runtime.ts";
import { openPublicDomain } from "../../infra-aws/support/public-domain.ts";
import { ORIGIN_SECRET } from "../../runtimes/lambda.ts";

/** A bundled function in a process of its own: prints its URL, and, once its input ends, what memory it holds. */
const [bundle = ""] = process.argv.slice(2);
provideAwslambda();
const domain = await openPublicDomain(ORIGIN_SECRET);
process.env.PUBLIC_URL = domain.url;
const { handler } = (await import(bundle)) as { readonly handler: Parameters<typeof invokeInProcess>[0] };
domain.serve(invokeInProcess(handler));
process.stdout.write(`${domain.url}\n`);
await once(process.stdin.resume(), "end");
const { rss, heapUsed, external } = process.memoryUsage();
process.stdout.write(`${JSON.stringify({ resident: rss, heap: heapUsed + external })}\n`, () => process.exit());
