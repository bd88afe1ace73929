/** One method of one path of the management API, and who may call it. What the OpenAPI document says of it is in `documentation/`. */
export interface Operation {
  readonly operationId: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** An OpenAPI path template; its parameters are documented like all others. */
  readonly path: `/api/v1/${string}`;
  readonly access: Access;
}

/** Who may call. */
export interface Access {
  /** `person`: whoever is signed in, about themselves. `member` and `owner` of the organization that the request is about. */
  readonly role: "public" | "person" | "member" | "owner";
  /** Each member reaches the endpoint, which tells who may do it: not the caller's role in that organization alone decides. */
  readonly isDecidedByEndpoint?: true;
  /** The permission that admits an API client as well; absent: people only. */
  readonly scope?: string;
  /** It is about the instance: the organization has to be the first one. */
  readonly isForFirstOrganization?: true;
}
