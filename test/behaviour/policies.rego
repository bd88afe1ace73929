package orchestrator

default result := {"allowed": true}

result := {"allowed": false, "external_message": sprintf("The tag %s is too long.", [tag])} if {
	some tag in input.request.mcp.tool.params.arguments.tag
	count(tag) > 10
	regex.match("^[a-z]+$", tag)
}

result := {"allowed": false, "external_message": "Nobody is known."} if not input.token.claims.client_id
