package orchestrator

d(x) := concat("", [x, x, x, x, x, x, x, x])

result := count(d(d(d(d(d(d(d(d(d(d("a")))))))))) ) > 0
