package orchestrator

scopes := {scope | some scope in split(input.token.claims.scope, " ")}

required contains "notes:write" if startswith(input.request.mcp.tool.params.name, "create")
required contains "notes:read" if startswith(input.request.mcp.tool.params.name, "get")
required contains scope if {
	some scope in object.get(data.required, input.request.mcp.tool.params.name, [])
}

missing := required - scopes

result := {"allowed": count(missing) == 0, "external_message": message}

message := "" if count(missing) == 0

message := sprintf("missing: %v, has %d of %d", [missing, count(scopes & required), count(required)]) if count(missing) > 0
