/** Token type identifiers (RFC 8693 §3). */
export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
export const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
export const ID_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token";
