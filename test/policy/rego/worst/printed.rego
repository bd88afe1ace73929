package orchestrator

result if {
	some i in numbers.range(1, 1000)
	some j in numbers.range(1, 1000)
	sprintf("%5000d %v", [i, j]) == ""
}
