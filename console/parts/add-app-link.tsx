import { PlusIcon } from "../icons.tsx";
import { useSession } from "../session/context.ts";
import { LinkButton } from "./link-button.tsx";

/** Of the editor, with the form for a REST API. Where nothing can be published there, its page says how it is done instead. */
export const ADD_REST_API = "/gateway/configuration/edit?add=rest-api";

/** The way to add an API or an MCP server, for those who may change the configuration. */
export function AddAppLink() {
  const { instance, isOwner } = useSession();
  if (!isOwner || instance?.isFirstOrganization !== true) return null;
  return (
    <LinkButton href={ADD_REST_API} variant="default" leftSection={<PlusIcon size={14} />}>
      Add an API
    </LinkButton>
  );
}
