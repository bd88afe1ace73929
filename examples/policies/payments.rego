package orchestrator

default result := {"allowed": false, "external_message": "Only editors pay, and only up to the limit."}

tool := input.request.mcp.tool.params

result := {"allowed": true} if tool.name == "listPayments"

result := {"allowed": true} if {
	tool.name == "createPayment"
	"editor" in input.token.claims.roles
	within_limit
}

within_limit if tool.arguments.amount <= data.limit

within_limit if input.agent.clientID == "treasury"
