const VERBS = ["create", "list", "update", "delete", "merge", "archive", "export", "review"];
const THINGS = ["invoice", "customer", "repository", "payment", "ticket", "report", "contract", "shipment", "branch"];

/** As long as tools are in the middle, about 700 characters; no two read the same. */
export function listedTool(_: unknown, index: number): unknown {
  const [verb = "", thing = ""] = [VERBS[index % VERBS.length], THINGS[index % THINGS.length]];
  const property = (description: string) => ({ type: "string", description });
  return {
    name: `${verb}_${thing}_${index}`,
    title: `${verb} ${thing} ${index}`,
    description: `Can ${verb} a ${thing} of department ${index}. The ${thing} has to exist, and the caller needs the right to ${verb} it. Answers with the ${thing} as it is after that, and with a link to its history.`,
    inputSchema: {
      type: "object",
      properties: {
        id: property(`Identifier of the ${thing}.`),
        reason: property("Why this is done, for the audit log."),
        dryRun: { type: "boolean", description: "Only say what would be done." },
      },
      required: ["id"],
    },
    annotations: { readOnlyHint: verb === "list", destructiveHint: verb === "delete" },
  };
}
