package orchestrator

arguments := input.request.mcp.tool.params.arguments

violations contains {"path": concat("/", [sprintf("%v", [part]) | some part in path]), "value": type_name(value)} if {
	walk(arguments, [path, value])
	is_string(value)
	contains(lower(value), "secret")
}

violations contains {"path": key, "value": "unknown"} if {
	some key, _ in arguments
	not key in {"id", "tags", "memo", "nested", "amount", "list"}
}

result := {"allowed": ok, "external_message": text}

ok := true if violations == set()
else := false

text := json.marshal(violations)
