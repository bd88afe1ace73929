package orchestrator

private := ["10.0.0.0/8", "192.168.0.0/16", "fd00::/8"]

result := {"allowed": allowed, "external_message": concat("", sort(reasons))}

default allowed := false

allowed if count(reasons) == 0

reasons contains "address" if {
	not inside
}

reasons contains "agent" if {
	agent := input.request.mcp.http.headers["User-Agent"]
	not glob.match("agent/*", ["/"], agent)
}

reasons contains "version" if {
	[_, version] := split(input.request.mcp.http.headers["User-Agent"], "/")
	semver.is_valid(version)
	semver.compare(version, "1.2.0") < 0
}

inside if {
	some network in private
	net.cidr_contains(network, input.request.http.remoteAddress)
}
