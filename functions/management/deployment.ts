import type { Context } from "hono";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { published } from "../../lib/audit/deployment-events.ts";
import { changesOf, describeDeployment, listPublications, publishBundle } from "../../lib/deployment/administration.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import type { DEPLOYMENT_OPERATIONS } from "../../lib/management/operations/deployment.ts";
import { representDeployment, representPublication } from "../../lib/management/representations/deployment.ts";
import type {
  ConfigurationChangeList,
  Deployment,
  Publication,
  PublicationList,
} from "../../lib/management/schemas/deployment.ts";
import type { Env } from "../env.ts";
import type { Caller } from "../middleware/caller.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { invalidQuery, refuseUnknownQuery, textQuery } from "../middleware/query.ts";

/** Bytes of a body with a bundle; a listener takes 4 MiB. */
const MAX_BYTES = 3_100_000;

/** `Need`: the first organization, as the configuration is that of the whole instance (D32). */
export const DEPLOYMENT_ENDPOINTS: Endpoints<typeof DEPLOYMENT_OPERATIONS> = {
  /** GET: what this instance uses. */
  showDeployment: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    return answerJson<Deployment>(c, representDeployment(await describeDeployment(dependencies)));
  },

  /** GET: what was published, latest first. */
  listPublications: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const items = (await listPublications(dependencies)).map(representPublication);
    return answerJson<PublicationList>(c, { items });
  },

  /** POST `{bundle}`: 201 once it is kept, and taken over here. */
  publishConfiguration: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const input = await readJsonBody(c, MAX_BYTES);
    const { id, organizationId } = caller;
    const { requestId } = c.get("request");
    const record = await publishBundle(dependencies, id, input, (publication) => ({
      ...published(dependencies, publication, { actor: id, organizationId }),
      requestId,
    }));
    return answerJson<Publication>(c, representPublication(record), 201);
  },

  /** GET `?from=`: what differs, by key. */
  compareRevisions: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["from"]);
    await mustBeFirst(dependencies, caller);
    const revision = Number(/^\d{1,15}$/.exec(c.req.param("revision") ?? "")?.[0] ?? 0);
    const items = await changesOf(dependencies, revision, fromQuery(c));
    return answerJson<ConfigurationChangeList>(c, { items: [...items] });
  },
};

async function mustBeFirst({ stores }: Pick<Dependencies, "stores">, { organizationId }: Caller): Promise<void> {
  const first = await stores.directory.firstOrganization();
  if (first?.organizationId === organizationId) return;
  throw new ProblemError("forbidden", "The instance's configuration is for its first organization.");
}

function fromQuery(c: Context<Env>): number | undefined {
  const text = textQuery(c, "from");
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw invalidQuery("from", "must be a revision");
  return Number(text);
}
