package orchestrator

result if {
	some i in numbers.range(1, 1000)
	some j in numbers.range(1, 1000)
	crypto.hmac.sha512(sprintf("%d", [i]), sprintf("%d", [j])) == ""
}
