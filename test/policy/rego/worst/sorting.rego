package orchestrator

result if {
	some i in numbers.range(1, 100)
	values := [sprintf("%d-%d", [i, n % 17]) | some n in numbers.range(1, 10000)]
	sort(values)[0] == ""
}
