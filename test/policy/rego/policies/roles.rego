package orchestrator

default result["allowed"] := false

result["allowed"] if {
	some role in input.user.roles
	input.request.mcp.tool.params.name in data.grants[role]
}

result["external_message"] := sprintf("%s needs one of: %s", [tool, concat(", ", needed)]) if {
	not result.allowed
	tool := input.request.mcp.tool.params.name
	needed := sort([role | some role, tools in data.grants; tool in tools])
	count(needed) > 0
}
