package orchestrator

import rego.v1

default result := {"allowed": false, "external_message": "outside of working hours"}

result := {"allowed": true} if {
	at := time.parse_rfc3339_ns(input.token.claims.at)
	zone := object.get(input.user, "zone", "UTC")
	[hour, _, _] := time.clock([at, zone])
	hour >= 8
	hour < 18
	not time.weekday([at, zone]) in {"Saturday", "Sunday"}
	time.diff(at, 0)[0] < 100
}
