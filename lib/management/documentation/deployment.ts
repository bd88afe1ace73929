import type { DEPLOYMENT_OPERATIONS } from "../operations/deployment.ts";
import {
  CONFIGURATION_CHANGE_LIST,
  DEPLOYMENT,
  NEW_PUBLICATION,
  PUBLICATION,
  PUBLICATION_LIST,
} from "../schemas/deployment.ts";
import type { Documentation } from "./documentation.ts";
import { pathParameter } from "./documentation.ts";

const NOT_FOUND = "`not_found`: nothing is published for this instance (`SVC_CONFIG_SOURCE` is not set).";

/** Configurations that are published while instances run (D235). */
export const DEPLOYMENT_DOCUMENTATION = {
  showDeployment: {
    summary: "Which published configuration this instance uses",
    description: NOT_FOUND,
    answers: [{ status: 200, description: "What is in use, and what was refused.", schema: DEPLOYMENT }],
    problems: ["not_found"],
  },
  listPublications: {
    summary: "What was published",
    description: `Latest first. ${NOT_FOUND}`,
    answers: [{ status: 200, description: "Publications that the store knows of.", schema: PUBLICATION_LIST }],
    problems: ["not_found"],
  },
  publishConfiguration: {
    summary: "Publish a signed configuration",
    description:
      "Where the source is `store:`. The bundle is checked as instances check it before it is kept, and this instance takes it over at once. " +
      `\`conflict\`: a revision that is as high is there, or the source is elsewhere. ${NOT_FOUND}`,
    body: { schema: NEW_PUBLICATION },
    answers: [{ status: 201, description: "The publication.", schema: PUBLICATION }],
    problems: ["not_found", "conflict"],
  },
  compareRevisions: {
    summary: "What differs between two publications",
    description: `From the one before, or \`from\`. \`not_found\`: one of them is not kept. ${NOT_FOUND}`,
    parameters: [
      pathParameter("revision"),
      { name: "from", in: "query", schema: { type: "integer", minimum: 1 }, description: "An earlier revision." },
    ],
    answers: [
      { status: 200, description: "By key, in the order of the documents.", schema: CONFIGURATION_CHANGE_LIST },
    ],
    problems: ["not_found"],
  },
} as const satisfies Documentation<typeof DEPLOYMENT_OPERATIONS>;
