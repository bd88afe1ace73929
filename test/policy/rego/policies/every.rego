package orchestrator

result if {
	every tag in input.request.mcp.tool.params.arguments.tags {
		startswith(tag, "t")
		count(tag) < 5
	}
	some i
	input.request.mcp.tool.params.arguments.list[i] == max(input.request.mcp.tool.params.arguments.list)
	i > 0
}
