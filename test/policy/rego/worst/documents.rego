package orchestrator

result if {
	some i in numbers.range(1, 1000)
	some j in numbers.range(1, 1000)
	json.unmarshal(json.marshal({"a": i, "b": [j, j, {"c": "x"}]})).d == 1
}
