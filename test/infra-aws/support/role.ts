import { readFile } from "node:fs/promises";
import { parse } from "yaml";

interface Role {
  readonly Properties: {
    readonly Policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[];
  };
}

interface Statement {
  readonly Action: readonly string[];
  /** `RecordsTable.Arn`, the text of the `!GetAtt`. */
  readonly Resource: string;
}

const ROLE = new URL("../../../infra/aws/cloudformation/role.yml", import.meta.url);

/** What the function's role grants on the tables, sorted: `records dynamodb:PutItem`. */
export async function grantedOperations(): Promise<readonly string[]> {
  const getAtt = { tag: "!GetAtt", resolve: (text: string) => text };
  const { Properties } = parse(await readFile(ROLE, "utf8"), { customTags: [getAtt] }) as Role;
  return Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Resource }) => Resource.endsWith("Table.Arn"))
    .flatMap(({ Action, Resource }) =>
      Action.map((action) => `${Resource.replace("Table.Arn", "").toLowerCase()} ${action}`),
    )
    .sort();
}
