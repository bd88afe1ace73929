/** In the build of the Console: the OpenAPI document of all instances. Workers fill it in for theirs. */
export const MANAGEMENT_DOCUMENT = "management-openapi.json";
