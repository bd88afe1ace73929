package orchestrator

nodes := numbers.range(1, 30)

edges[i] := nodes if some i in nodes

result := count(graph.reachable_paths(edges, [1])) > 0
