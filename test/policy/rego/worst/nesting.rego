package orchestrator

d(x) := {"a": x, "b": [x, x], "c": {x}}

result := d(d(d(d(d(d(d(d(d(d(d(d(d({}))))))))))))) == {}
