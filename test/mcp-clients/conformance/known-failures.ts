/** Checks that fail for the same reason. */
export interface KnownFailure {
  readonly reason: string;
  /** `scenario` for all checks of one, or `scenario/check`; a `*` at the end stands for any rest. */
  readonly names: readonly string[];
}

/** What the suite asks for and a gateway to REST APIs does not have. An entry that no longer fails is an error, too. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    reason: "an API has operations, which become tools; there are no resources",
    names: [
      "resources-*",
      "caching/sep-2549-resources-list-caching-hints",
      "caching/sep-2549-resources-templates-list-caching-hints",
    ],
  },
  {
    reason: "likewise there are no prompts, and nothing to complete",
    names: ["prompts-*", "completion-complete", "caching/sep-2549-prompts-list-caching-hints"],
  },
  {
    reason: "a tool that is an operation of an API asks the client for nothing: no elicitation, sampling or roots",
    names: [
      "elicitation-*",
      "tools-call-elicitation",
      "tools-call-sampling",
      "input-required-result-*",
      "server-stateless/sep-2575-server-rejects-undeclared-capability",
      "server-stateless/sep-2575-missing-capability-http-400",
      "server-stateless/sep-2575-http-server-no-independent-requests-on-stream",
    ],
  },
  { reason: "an extension that is not offered", names: ["tasks-*"] },
  { reason: "texts of an API are texts, not resources", names: ["tools-call-embedded-resource"] },
  { reason: "an API gives one answer, which is one block", names: ["tools-call-mixed-content"] },
  { reason: "a call is told of in two log messages; the scenario wants three", names: ["tools-call-with-logging"] },
  {
    reason: "a tool's input is put together from parameters and body, so that no document leads to this schema",
    names: ["json-schema-2020-12"],
  },
];

/** Whether one of the entries, by default any, is about the check `scenario/check`. */
export function isKnown(name: string, entries = KNOWN_FAILURES.flatMap(({ names }) => names)): boolean {
  return entries.some((entry) => {
    if (entry.endsWith("*")) return name.startsWith(entry.slice(0, -1));
    return name === entry || name.startsWith(`${entry}/`);
  });
}
