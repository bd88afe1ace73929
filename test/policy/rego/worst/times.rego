package orchestrator

result if {
	some i in numbers.range(1, 1000)
	some j in numbers.range(1, 1000)
	time.clock([i * j * 1000000000000, "America/New_York"])[0] == 25
}
