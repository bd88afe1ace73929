package orchestrator

arguments := input.request.mcp.tool.params.arguments

merged := object.union(arguments, {"nested": {"by": input.user.sub}})

result := {"allowed": allowed, "external_message": json.marshal([merged, filtered, removed, keys, patched])}

default filtered := null

filtered := json.filter(arguments, ["nested/a", "tags/0"])

default removed := null

removed := json.remove(arguments, ["nested", "list/1"])

keys := object.keys(merged)

default patched := null

patched := json.patch(arguments, [{"op": "add", "path": "/tags/-", "value": {1, "x", null}}])

allowed := object.subset(merged, {"nested": {"by": "a-person"}})
