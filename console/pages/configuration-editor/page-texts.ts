/** What stands at the top of the page, in whichever state it is. */
export const TITLE = "Edit configuration";
export const ABOUT = "The whole configuration as YAML. Your browser checks it as countersign validate does.";
export const BACK = { href: "/gateway/configuration", label: "Configuration" } as const;
/** What the API shows in the place of a secret that stands in the document. */
export const HIDDEN_SECRET = "(a secret)";
