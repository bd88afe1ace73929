package orchestrator

result if {
	some i in numbers.range(1, 100)
	some j in numbers.range(1, 10000)
	to_number(sprintf("x%d", [i + j])) == 1
}
