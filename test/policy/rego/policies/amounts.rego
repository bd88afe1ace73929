package orchestrator

limits := {"EUR": 1000, "USD": 1100.5, "JPY": 150000}

default result := false

result if {
	input.request.mcp.tool.params.name != "createPayment"
}

result if {
	arguments := input.request.mcp.tool.params.arguments
	limit := limits[arguments.currency]
	to_number(arguments.amount) <= limit * (1 - fee)
	not blocked(arguments.to)
}

fee := 0.1 + 0.2 if "premium" in input.user.roles
else := 0.05

blocked(account) if startswith(account, "RU")

blocked(account) if {
	regex.match(`^NL\d{2}(TEST|DEMO)`, account)
}
