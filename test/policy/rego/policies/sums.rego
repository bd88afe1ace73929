package orchestrator

amounts := [amount | some amount in input.request.mcp.tool.params.arguments.list; is_number(amount)]

totals := {
	"sum": sum(amounts),
	"mean": sum(amounts) / count(amounts),
	"product": product(amounts),
	"rounded": [round(a) | some a in amounts],
	"floors": [floor(a) | some a in amounts],
	"ceils": [ceil(a) | some a in amounts],
	"abs": {abs(a) | some a in amounts},
	"rem": [r | some a in amounts; r := a % 7],
	"sorted": sort(amounts),
	"min": min(amounts),
}

default result := {"allowed": false, "external_message": "no amounts"}

result := {"allowed": totals.sum < 100, "totals": totals}
