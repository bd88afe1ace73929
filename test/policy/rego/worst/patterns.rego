package orchestrator

text := concat("", [x | some _ in numbers.range(1, 5000); x := "aaaaaaaaaa"])

result if {
	some i in numbers.range(1, 1000)
	regex.match(sprintf("(a|aa|a{%d})+b", [i]), text)
}
