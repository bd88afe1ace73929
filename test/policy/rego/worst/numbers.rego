package orchestrator

result if {
	some i in numbers.range(1, 1000)
	some j in numbers.range(1, 1000)
	(i + 0.1) / (j + 0.3) == 12345
}
