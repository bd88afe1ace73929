package orchestrator

result if {
	some a in numbers.range(1, 100)
	some b in numbers.range(1, 100)
	some c in numbers.range(1, 100)
	some d in numbers.range(1, 100)
	a + b + c + d == 1
}
