package orchestrator

groups := graph.reachable(data.members, {input.user.sub})

paths := graph.reachable_paths(data.members, [input.user.sub])

result := {"allowed": "owners" in groups, "external_message": sprintf("%d paths, longest %d", [count(paths), longest])}

longest := max({count(path) | some path in paths})
